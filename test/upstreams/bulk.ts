import { coldestGrids, annualLandCover, surge, windAndSun, windAtlasFiles } from './bulk/grids.ts'
import { egridMap, energyMaps } from './bulk/energy-maps.ts'
import { orphanedWells, windSupplyCurve } from './bulk/point-files.ts'
import { airMonitors, antennaStructures } from './bulk/stations.ts'
import { hydrographyFiles, roadFiles, wetlandFiles } from './bulk/state-files.ts'
import { bestTracks, severeWeather } from './bulk/storms.ts'
import { coastlineFile, hardinessZones, karst, soleSourceAquifers } from './bulk/zones.ts'
import { watersheds } from './bulk/watersheds.ts'
import type { SimulatedService } from './service.ts'

/** All publishers of files for packs. */
export const bulk: SimulatedService[] = [
  hardinessZones,
  coldestGrids,
  ...airMonitors,
  coastlineFile,
  soleSourceAquifers,
  karst,
  ...severeWeather,
  bestTracks,
  surge,
  windAndSun,
  windSupplyCurve,
  orphanedWells,
  ...windAtlasFiles,
  ...annualLandCover,
  antennaStructures,
  watersheds,
  energyMaps,
  egridMap,
  hydrographyFiles,
  roadFiles,
  wetlandFiles,
]
