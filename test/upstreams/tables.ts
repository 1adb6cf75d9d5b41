import type { SimulatedService } from './service.ts'
import { censusFiles } from './tables/census-files.ts'
import { qcew } from './tables/qcew.ts'
import { radon } from './tables/radon.ts'
import { electricityPrices, gasPrices, queuedUp, waterAvailability } from './tables/energy-tables.ts'
import { fhfaWorkbook, ruccWorkbook } from './tables/workbooks.ts'

/** All publishers of downloadable tables. */
export const tables: SimulatedService[] = [
  qcew,
  censusFiles,
  fhfaWorkbook,
  ruccWorkbook,
  radon,
  electricityPrices,
  gasPrices,
  queuedUp,
  waterAvailability,
]
