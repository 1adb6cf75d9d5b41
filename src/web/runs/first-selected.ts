import { defaultPreset } from '../explore/explore-query.ts'
import type { RunSelection } from './selected.ts'

/** What is asked when nothing was chosen. */
export const defaultSelection: RunSelection = { kind: 'fetch_batch', preset: defaultPreset, fields: [] }
