import type { Environment } from '../config.ts'
import { editDistance } from '../model/edit-distance.ts'
import { settings } from './settings.ts'

const prefix = 'FIELDSTONE_'
/** Two letters beside a name: it is meant. */
const slipsMax = 2

const ours = Object.keys(settings).filter((name) => name.startsWith(prefix))

/** The names in an environment that are written like settings of ours and are none; `meant`: the setting that one is a slip of, null when it is like none. */
export function strangeSettings(env: Environment): { name: string; meant: string | null }[] {
  return Object.keys(env).filter((name) => !Object.hasOwn(settings, name)).toSorted()
    .map((name) => ({ name, meant: meantBy(name) })).filter(({ name, meant }) => meant !== null || name.startsWith(prefix))
}

function meantBy(name: string): string | null {
  const near = ours.filter((it) => Math.abs(it.length - name.length) <= slipsMax).map((it) => ({ it, slips: editDistance(name.toUpperCase(), it) }))
  return near.filter(({ slips }) => slips <= slipsMax).toSorted((a, b) => a.slips - b.slips)[0]?.it ?? null
}
