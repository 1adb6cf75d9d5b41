import type { Service } from './service.ts'
import { censusFiles } from './tables/census-files.ts'
import { qcew } from './tables/qcew.ts'
import { radon } from './tables/radon.ts'
import { fhfa, rucc } from './tables/workbooks.ts'

/** All publishers of downloadable tables. */
export const tables: Service[] = [qcew, censusFiles, fhfa, rucc, radon]
