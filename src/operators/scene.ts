import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Value } from '../model/source.ts'

/**
 * A satellite scene at the point: its time, its processing properties and the raw number of each band. null without
 * data.
 */
export type Scene = Record<string, Value> & { datetime: string }

/** Parses the scenes of a document, newest first. */
export function parseScenes(document: unknown): Scene[] {
  if (Array.isArray(document) && document.every(isScene)) return document
  throw new UpstreamError(
    'bad_response',
    'The source returned an unexpected document. Expected a list of scenes with `datetime`.',
  )
}

/** Whether a scene has data in every band and its mask indicates a clear view. */
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
