import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Value } from '../model/source.ts'

/** A satellite scene at the point: its time, its processing, and the raw number of each band, null where it has no data. */
export type Scene = Record<string, Value> & { datetime: string }

/** The scenes of a document, newest first as they come. */
export function parseScenes(document: unknown): Scene[] {
  if (Array.isArray(document) && document.every(isScene)) return document
  throw new UpstreamError(
    'bad_response',
    'A list of scenes was expected, each with its time, and the source gave something else.',
  )
}

/** Whether a scene has data in every band and its mask says that the view was clear. */
export function isClearScene(scene: Scene, mask_keep: number[] | undefined): boolean {
  return (
    !Object.values(scene).includes(null) && (mask_keep === undefined || mask_keep.some((code) => code === scene.mask))
  )
}

function isScene(value: unknown): value is Scene {
  return (
    isRecord(value) &&
    typeof value.datetime === 'string' &&
    Object.values(value).every((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value))
  )
}
