import { firstPreset } from '../explore/wanted.ts'
import type { Selected } from './selected.ts'

/** What is asked when nothing was chosen. */
export const firstSelected: Selected = { kind: 'fetch_batch', preset: firstPreset, fields: [] }
