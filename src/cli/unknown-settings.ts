import type { Environment } from '../config.ts'
import { editDistance } from '../model/edit-distance.ts'
import { settingDescriptions } from './settings.ts'

const prefix = 'FIELDSTONE_'
/** A name within this edit distance of a setting counts as misspelled. */
const maxEdits = 2

const knownSettings = Object.keys(settingDescriptions).filter((name) => name.startsWith(prefix))

/**
 * Finds environment variables that look like settings but are not. `suggestion` is the setting that was probably meant,
 * or null if none is similar.
 */
export function findUnknownSettings(env: Environment): { name: string; suggestion: string | null }[] {
  return Object.keys(env)
    .filter((name) => !Object.hasOwn(settingDescriptions, name))
    .toSorted()
    .map((name) => ({ name, suggestion: suggestSetting(name) }))
    .filter(({ name, suggestion }) => suggestion !== null || name.startsWith(prefix))
}

function suggestSetting(name: string): string | null {
  const candidates = knownSettings
    .filter((setting) => Math.abs(setting.length - name.length) <= maxEdits)
    .map((setting) => ({ setting, edits: editDistance(name.toUpperCase(), setting) }))
  return candidates.filter(({ edits }) => edits <= maxEdits).toSorted((a, b) => a.edits - b.edits)[0]?.setting ?? null
}
