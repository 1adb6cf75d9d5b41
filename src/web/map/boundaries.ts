import { readBoundaryUrls, readStateBoundaries, type BaseData, type StateArea } from './base-data.ts'

type View = { zoom: number; box: readonly [number, number, number, number] }

/** A little before the near borders are shown (map/style.ts): they are here when they are wanted. */
const load_zoom = 5.8
/** More states than this are never near at once. */
const maxStates = 14

/** Loads the states that are looked at from near by, each once, and gives all that are here then; null when there is no new one. */
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

  /** A state that could not be read is asked for again when the map has moved. */
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
