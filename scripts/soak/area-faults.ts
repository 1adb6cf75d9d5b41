import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { answerForShape, faultedShapes, wrongFieldsOf } from '../../test/faults/area-sources.ts'
import { namedFaultRows } from '../../test/faults/fault-rows.ts'
import { openSingleOptionService } from '../../test/faults/single-option-service.ts'
import type { FaultKind } from '../../test/upstreams/faults.ts'
import { openOnlineService, type OnlineService } from '../../test/upstreams/online-service.ts'
import { atMost, type Finding } from './finding.ts'
import { forEachOverlapping } from './overlapping.ts'

/**
 * An answer of a host that is cut, but looks complete. Points cannot always recognize it, so their tests leave it out.
 */
const cutAnswer: FaultKind = 'cut_200'
const shapes = Object.keys(faultedShapes) as (keyof typeof faultedShapes)[]

/**
 * Answers a polygon and a line with every fault of the publishers, after every number of correct answers of each host.
 * A field must fail, or have the same value as without the fault.
 */
export async function soakAreaFaults(): Promise<Finding[]> {
  let [wrong, answers] = [0, 0]
  for (const shape of shapes) {
    const faultlessService = openOnlineService()
    const faultless = await answerWith(faultlessService, shape)
    const faults = [...faultsUpTo(mostCallsToHost(faultlessService))]
    await forEachOverlapping(faults.length, async (i) => {
      const { name, fault, budget_ms, skip } = faults[i]!
      const service = budget_ms === undefined ? openOnlineService() : openSingleOptionService({ budget_ms })
      service.upstreams.fault({ skip }, fault)
      const fields = wrongFieldsOf(await answerWith(service, shape), faultless)
      answers++
      if (fields.length > 0) wrong++
      for (const field of fields) console.error(`${name} after ${skip} correct answers: ${field} of a ${shape}`)
    })
  }
  return [atMost('areas', `wrong answers of ${answers} with a fault of the publishers`, wrong, 0)]
}

/** After this many correct answers of each host, no call is left that a fault could meet. */
function mostCallsToHost({ upstreams: { calls } }: OnlineService): number {
  return Math.max(
    ...Map.groupBy(calls, ({ host }) => host)
      .values()
      .map(({ length }) => length),
  )
}

type LaterFault = { name: string; fault: FaultKind; budget_ms?: number; skip: number }

function* faultsUpTo(callsMax: number): Generator<LaterFault> {
  for (const [name, row] of [...namedFaultRows, ['cut_200', { fault: cutAnswer }] as const])
    for (let skip = 0; skip < callsMax; skip++) yield { name, ...row, skip }
}

async function answerWith(service: OnlineService, shape: keyof typeof faultedShapes): Promise<AreaAnswer> {
  try {
    return await answerForShape(service, { shape })
  } finally {
    await service.close()
  }
}
