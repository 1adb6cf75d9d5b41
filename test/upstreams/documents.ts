import { airnow, openMeteoService } from './documents/air-quality.ts'
import { blsApi } from './documents/bls.ts'
import { censusApi } from './documents/census-api.ts'
import { censusGeocoder } from './documents/census-geocoder.ts'
import { acis } from './documents/climate.ts'
import { droughtMonitor } from './documents/drought.ts'
import { earthSearch } from './documents/earth-search.ts'
import { elevationPoint } from './documents/elevation.ts'
import { streamCat } from './documents/epa.ts'
import { fccService } from './documents/fcc.ts'
import { earthquakes, macrostratService, volcanoes } from './documents/geology.ts'
import { ipac } from './documents/ipac.ts'
import { atlas14, coOps, nwps } from './documents/noaa-water.ts'
import { nlr } from './documents/nlr.ts'
import { openFema } from './documents/openfema.ts'
import { overpass } from './documents/overpass.ts'
import { planetaryComputer } from './documents/planetary-computer.ts'
import { regridService } from './documents/regrid.ts'
import { seaLevel } from './documents/sea-level.ts'
import { soilDataAccess } from './documents/soil.ts'
import { nldi, waterData } from './documents/usgs-water.ts'
import { uswtdb } from './documents/uswtdb.ts'
import { nasaPower, nws } from './documents/weather.ts'
import type { SimulatedService } from './service.ts'

/** All publishers with their own document or feature format. */
export const documentServices: SimulatedService[] = [
  censusGeocoder,
  censusApi,
  fccService,
  blsApi,
  nlr,
  acis,
  airnow,
  openMeteoService,
  streamCat,
  openFema,
  nasaPower,
  nws,
  regridService,
  ipac,
  nldi,
  waterData,
  coOps,
  nwps,
  atlas14,
  seaLevel,
  macrostratService,
  earthquakes,
  volcanoes,
  droughtMonitor,
  uswtdb,
  soilDataAccess,
  elevationPoint,
  overpass,
  planetaryComputer,
  earthSearch,
]
