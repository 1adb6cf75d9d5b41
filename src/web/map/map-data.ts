import { GeoJSONSource, type Map as Engine } from 'maplibre-gl'
import { readCountyLines, type StateArea } from './base-data.ts'
import { createBoundaryLoader } from './boundaries.ts'
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
