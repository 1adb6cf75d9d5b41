import type { CatalogDocument } from '../../catalog/catalog-document.ts'
import { defaultPreset } from '../catalog-store.ts'

/** A preset, and how many of its members this server answers. */
export type PresetAnswers = {
  name: string
  reason: string
  answered: number
  fields: number
  group: 'complete' | 'partial' | 'none'
}

/**
 * Returns the presets: those that this server answers completely first, with the default one ahead, then
 * by the share that it answers.
 */
export function presetsByAnswer({ presets, preset_details }: Pick<CatalogDocument, 'presets' | 'preset_details'>) {
  return Object.keys(presets)
    .map((name): PresetAnswers => {
      const { reason, fields, answered_now: answered } = preset_details[name]!
      return { name, reason, answered, fields, group: groupOf(answered, fields) }
    })
    .toSorted((a, b) => Number(b.name === defaultPreset) - Number(a.name === defaultPreset) || shareOf(b) - shareOf(a))
}

function groupOf(answered: number, fields: number): PresetAnswers['group'] {
  if (answered === fields) return 'complete'
  return answered > 0 ? 'partial' : 'none'
}

function shareOf({ answered, fields }: PresetAnswers): number {
  return answered / fields
}
