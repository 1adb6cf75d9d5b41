import { defaultPreset } from '../explore/explore-query.ts'
import type { RunSelection } from './selected.ts'

/** The selection of a new run. */
export const defaultSelection: RunSelection = { kind: 'fetch_batch', preset: defaultPreset, fields: [] }
