import { GeoJSONSource, type Map as Engine } from 'maplibre-gl'
import { readBaseData, readCountyLines, type BaseData } from './base-data.ts'
import { createBoundaryLoader } from './boundaries.ts'

/** County lines are loaded slightly before the zoom that shows them (map/style.ts). */
const countyLines_zoom = 4.3

/**
 * Fills the sources of a map: the base data at once, county lines and detailed boundaries when it is zoomed in.
 * Returns a function that stops the loading.
 */
export function loadMapData(map: Engine, styleLoaded: Promise<void>, onError: () => void): () => void {
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
  const base = readBaseData()
  const boundaries = base.then(({ states }) => createBoundaryLoader(states))
  boundaries.catch(report)
  void fillWith(base.then(({ data }) => data))
  let hasCountyLines = false
  const loadVisible = async () => {
    if (!hasCountyLines && map.getZoom() >= countyLines_zoom) {
      hasCountyLines = true
      void fillWith(readCountyLines())
    }
    const loaded = await (await boundaries)(viewOf(map))
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
