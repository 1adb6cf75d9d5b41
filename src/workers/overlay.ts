import { packRings, unpackRings, type PackedOverlayJob, type PackedSplit } from '../areas/overlay-worker.ts'
import { runOverlay } from '../geo/overlay.ts'

declare const self: Worker

/** Executes one overlay for each message. */
self.onmessage = ({ data }: MessageEvent<PackedOverlayJob>) => {
  const { rings, at, fillRule } = data
  const split = runOverlay({ rings: unpackRings(rings), at: at && unpackRings(at), fillRule })
  const reply: PackedSplit = { shared: packRings(split.shared), rest: packRings(split.rest) }
  self.postMessage(reply, [reply.shared.buffer, reply.rest.buffer])
}
