import { readBoundaryUrls, readStateBoundaries, type StateArea } from './base-data.ts'
import type { BaseData } from './map-content.ts'

type View = { zoom: number; box: readonly [number, number, number, number] }

/** Slightly lower than the zoom that shows detailed boundaries (map/style.ts), so that they arrive in time. */
const load_zoom = 5.8
/** More states than this are never visible at that zoom. */
const maxStates = 14

/**
 * Loads the detailed boundaries of the visible states, each once. Returns all loaded boundaries, or null when nothing
 * is new.
 */
export function createBoundaryLoader(states: readonly StateArea[]): (view: View) => Promise<BaseData | null> {
  const loaded = new Map<string, ReturnType<typeof readStateBoundaries>>()
  let urls: ReturnType<typeof readBoundaryUrls> | null = null
  return async ({ zoom, box }) => {
    if (zoom < load_zoom) return null
    const visible = states.filter((state) => !loaded.has(state.id) && intersects(state.box, box)).slice(0, maxStates)
    if (visible.length === 0) return null
    const known = await (urls ??= readBoundaryUrls().catch(forgetUrls))
    for (const { id } of visible) if (known[id] && !loaded.has(id)) load(id, known[id])
    const all = await Promise.all(loaded.values())
    const collection = (features: object[]) => ({ type: 'FeatureCollection', features })
    const line = (geometry: object) => ({ type: 'Feature', properties: {}, geometry })
    return {
      'near-outline': collection(all.map(({ outline }) => line(outline))),
      'near-lines': collection(all.map(({ inner }) => line(inner))),
    }
  }

  /** A state that fails to load is requested again when the map moves. */
  function load(id: string, url: string): void {
    const state = readStateBoundaries(url)
    state.catch(() => loaded.delete(id))
    loaded.set(id, state)
  }

  function forgetUrls(error: unknown): never {
    urls = null
    throw error
  }
}

function intersects([west, south, east, north]: StateArea['box'], box: View['box']): boolean {
  return west <= box[2] && east >= box[0] && south <= box[3] && north >= box[1]
}
