import type { Environment } from '../config.ts'
import { editDistance } from '../model/edit-distance.ts'
import { settingDescriptions } from './settings.ts'

const prefix = 'FIELDSTONE_'
/** Two letters beside a name: it is meant. */
const maxEdits = 2

const knownSettings = Object.keys(settingDescriptions).filter((name) => name.startsWith(prefix))

/** The names in an environment that are written like settings of ours and are none; `meant`: the setting that one is a slip of, null when it is like none. */
export function findUnknownSettings(env: Environment): { name: string; suggestion: string | null }[] {
  return Object.keys(env)
    .filter((name) => !Object.hasOwn(settingDescriptions, name))
    .toSorted()
    .map((name) => ({ name, suggestion: suggestSetting(name) }))
    .filter(({ name, suggestion }) => suggestion !== null || name.startsWith(prefix))
}

function suggestSetting(name: string): string | null {
  const candidates = knownSettings
    .filter((it) => Math.abs(it.length - name.length) <= maxEdits)
    .map((it) => ({ it, edits: editDistance(name.toUpperCase(), it) }))
  return candidates.filter(({ edits }) => edits <= maxEdits).toSorted((a, b) => a.edits - b.edits)[0]?.it ?? null
}
