import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import { measurePolygon } from '../areas/measure-polygon.ts'
import { packRings, unpackRings, type PackedJob, type PackedReply } from '../areas/overlay-worker.ts'
import type { MeasureJob } from '../geo/geometry-jobs.ts'
import { runOverlay } from '../geo/overlay.ts'
import { ValidationError } from '../model/error.ts'

declare const self: Worker

/** Does the work of one message. */
self.onmessage = ({ data }: MessageEvent<PackedJob>) => {
  const reply = data.kind === 'overlay' ? replyToOverlay(data) : replyToMeasure(data.job)
  void andThen(reply, (it) => self.postMessage(it, transferOf(it)))
}

function replyToOverlay({ rings, at, fillRule }: Extract<PackedJob, { kind: 'overlay' }>): PackedReply {
  const split = runOverlay({ rings: unpackRings(rings), at: at && unpackRings(at), fillRule })
  return { shared: packRings(split.shared), rest: packRings(split.rest) }
}

function replyToMeasure(job: MeasureJob): MaybePromise<PackedReply> {
  try {
    return andThen(measurePolygon(job), (measured) => ({ ...measured, rings: packRings(measured.rings) }))
  } catch (error) {
    if (error instanceof ValidationError) return { violations: error.violations }
    throw error
  }
}

function transferOf(reply: PackedReply): ArrayBuffer[] {
  if ('violations' in reply) return []
  return 'rest' in reply ? [reply.shared.buffer, reply.rest.buffer] : [reply.rings.buffer]
}
