import { createGarbageCollector } from '../async/collect-garbage.ts'
import { buffersOf } from '../async/job-worker.ts'
import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import {
  packRings,
  unpackRings,
  type GeometryMessage,
  type GeometryMessages,
} from '../areas/shape/geometry-messages.ts'
import { measurePolygon } from '../areas/shape/measure-polygon.ts'
import { growRings } from '../geo/overlay/buffer.ts'
import { draw } from '../geo/overlay/drawing.ts'
import { runOverlay } from '../geo/overlay/overlay.ts'
import { ValidationError } from '../model/error.ts'

declare const self: Worker

/** After each job: the garbage of a large one would add to that of the main thread, which goes on meanwhile. */
const collectGarbage = createGarbageCollector(1)

/** Does the work of one message. */
self.onmessage = ({ data }: MessageEvent<GeometryMessage>) => {
  void andThen(replyTo(data), (reply) => {
    self.postMessage(reply, reply ? buffersOf(reply) : [])
    collectGarbage()
  })
}

function replyTo(message: GeometryMessage): MaybePromise<GeometryMessages[keyof GeometryMessages]['reply']> {
  switch (message.kind) {
    case 'overlay':
      return replyToOverlay(message.job)
    case 'measure':
      return replyToMeasure(message.job)
    case 'grow':
      return growRings(message.job)
    case 'draw':
      return draw(message.job)
  }
}

type Messages = GeometryMessages

function replyToOverlay({ rings, at, fillRule }: Messages['overlay']['job']): Messages['overlay']['reply'] {
  const split = runOverlay({ rings: unpackRings(rings), at: at && unpackRings(at), fillRule })
  return { shared: packRings(split.shared), rest: packRings(split.rest) }
}

function replyToMeasure(job: Messages['measure']['job']): MaybePromise<Messages['measure']['reply']> {
  try {
    return andThen(measurePolygon(job), (measured) => ({ ...measured, rings: packRings(measured.rings) }))
  } catch (error) {
    if (error instanceof ValidationError) return { violations: error.violations }
    throw error
  }
}
