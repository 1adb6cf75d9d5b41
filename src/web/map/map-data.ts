import { GeoJSONSource, type Map as Engine } from 'maplibre-gl'
import { readCountyLines, type StateArea, readBoundaryUrls, readStateBoundaries } from './base-data.ts'
import type { BaseData } from './map-content.ts'

/** County lines are loaded slightly before the zoom that shows them (map/style.ts). */
const countyLines_zoom = 4.3

/**
 * Fills the sources that a map needs when it is zoomed in: county lines and detailed boundaries. Returns a function
 * that stops the loading.
 */
export function loadMapData(
  map: Engine,
  states: readonly StateArea[],
  { styleLoaded, onError }: { styleLoaded: Promise<void>; onError: () => void },
): () => void {
  let isStopped = false
  const report = (error: unknown) => {
    if (isStopped) return
    console.error(error)
    onError()
  }
  const fillWith = async (reading: Promise<BaseData>) => {
    try {
      const data = await reading
      await styleLoaded
      if (!isStopped) fillSources(map, data)
    } catch (error) {
      report(error)
    }
  }
  const loadBoundaries = createBoundaryLoader(states)
  let hasCountyLines = false
  const loadVisible = async () => {
    if (!hasCountyLines && map.getZoom() >= countyLines_zoom) {
      hasCountyLines = true
      void fillWith(readCountyLines())
    }
    const loaded = await loadBoundaries(viewOf(map))
    if (!loaded || isStopped) return
    await styleLoaded
    fillSources(map, loaded)
  }
  map.on('moveend', () => void loadVisible().catch(report))
  void loadVisible().catch(report)
  return () => {
    isStopped = true
  }
}

/** Sets the data of sources by their names. */
export function fillSources(map: Engine, data: BaseData): void {
  for (const [name, geojson] of Object.entries(data)) {
    const source = map.getSource(name)
    if (source instanceof GeoJSONSource) void source.setData(geojson)
  }
}

function viewOf(map: Engine) {
  const bounds = map.getBounds()
  return {
    zoom: map.getZoom(),
    box: [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()] as const,
  }
}

type View = { zoom: number; box: readonly [number, number, number, number] }

/** Slightly lower than the zoom that shows detailed boundaries (map/style.ts), so that they arrive in time. */
const load_zoom = 5.8
/** More states than this are never visible at that zoom. */
const maxStates = 14

/**
 * Loads the detailed boundaries of the visible states, each once. Returns all loaded boundaries, or null when nothing
 * is new.
 */
function createBoundaryLoader(states: readonly StateArea[]): (view: View) => Promise<BaseData | null> {
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
      'near-water': collection(all.map(({ water }) => water)),
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
