import { nearAddresses, nearState, type BaseData, type State } from './base-data.ts'

type View = { zoom: number; box: readonly [number, number, number, number] }

/** A little before the near borders are shown (map/style.ts): they are here when they are wanted. */
const loadedFrom_zoom = 5.8
/** More states than this are never near at once. */
const statesMax = 14

/** Loads the states that are looked at from near by, each once, and gives all that are here then; null when there is no new one. */
export function openNearStates(states: readonly State[]): (view: View) => Promise<BaseData | null> {
  const here = new Map<string, ReturnType<typeof nearState>>()
  let addresses: ReturnType<typeof nearAddresses> | null = null
  return async ({ zoom, box }) => {
    if (zoom < loadedFrom_zoom) return null
    const wanted = states.filter((state) => !here.has(state.id) && meets(state.box, box)).slice(0, statesMax)
    if (wanted.length === 0) return null
    const known = await (addresses ??= nearAddresses().catch(unread))
    for (const { id } of wanted) if (known[id] && !here.has(id)) load(id, known[id])
    const all = await Promise.all(here.values())
    const collection = (features: object[]) => ({ type: 'FeatureCollection', features })
    const line = (geometry: object) => ({ type: 'Feature', properties: {}, geometry })
    return {
      'near-outline': collection(all.map(({ outline }) => line(outline))),
      'near-lines': collection(all.map(({ inner }) => line(inner))),
    }
  }

  /** A state that could not be read is asked for again when the map has moved. */
  function load(id: string, address: string): void {
    const state = nearState(address)
    state.catch(() => here.delete(id))
    here.set(id, state)
  }

  function unread(error: unknown): never {
    addresses = null
    throw error
  }
}

function meets([west, south, east, north]: State['box'], box: View['box']): boolean {
  return west <= box[2] && east >= box[0] && south <= box[3] && north >= box[1]
}
