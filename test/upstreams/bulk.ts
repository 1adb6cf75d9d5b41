import { coldestGrids, impervious, surge, windAtlas, windToolkit } from './bulk/grids.ts'
import { airMonitors, antennaStructures } from './bulk/stations.ts'
import { bestTracks, severeWeather } from './bulk/storms.ts'
import { coastline, hardinessZones, karst, soleSourceAquifers } from './bulk/zones.ts'
import type { Service } from './service.ts'

/** All publishers of files for packs. */
export const bulk: Service[] = [
  hardinessZones,
  coldestGrids,
  ...airMonitors,
  coastline,
  soleSourceAquifers,
  karst,
  ...severeWeather,
  bestTracks,
  surge,
  windToolkit,
  ...windAtlas,
  ...impervious,
  antennaStructures,
]
