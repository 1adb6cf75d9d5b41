import type { Contents, Field } from './entry.ts'

/** What clients hold the catalog to. Kept as a golden file, one record a field, so that a change can be judged. */
export type Promised = { version: string; fields: Record<string, PromisedField>; presets: Record<string, string[]> }
type PromisedField = Pick<Field, 'type' | 'unit' | 'lifecycle' | 'layer'> & { nullable: boolean; enum: (string | number)[] | null; words: string }

const kinds = ['none', 'patch', 'minor', 'major'] as const
/** One kind of version. */
export type Kind = (typeof kinds)[number]

/** What the contents promise to clients. */
export function promisedOf({ version, fields, presets }: Contents): Promised {
  return {
    version,
    fields: Object.fromEntries(fields.map((field) => [field.name, promisedField(field)])),
    presets: Object.fromEntries(Object.entries(presets).map(([name, { fields: members }]) => [name, members])),
  }
}

/** Which kind of version a change needs, and why, by the rules of the specification: wording is patch, more is minor, other or less is major. */
export function changeOf(before: Promised, after: Promised): { kind: Kind; reasons: string[] } {
  const found = [...fieldChanges(before, after), ...presetChanges(before, after)]
  const kind = found.reduce<Kind>((most, [it]) => (kinds.indexOf(it) > kinds.indexOf(most) ? it : most), 'none')
  return { kind, reasons: found.map(([it, reason]) => `${it}: ${reason}`) }
}

/** Whether a version is far enough from the one before for a change of this kind. */
export function isEnough(before: string, after: string, kind: Kind): boolean {
  const [a, b] = [before, after].map((version) => version.split('.').map(Number)) as [number[], number[]]
  const first = [0, 1, 2].find((i) => a[i] !== b[i])
  if (kind === 'none') return true
  return first !== undefined && b[first]! > a[first]! && first <= { patch: 2, minor: 1, major: 0 }[kind]
}

type Change = [kind: Kind, reason: string]

function fieldChanges(before: Promised, after: Promised): Change[] {
  const gone = Object.keys(before.fields).filter((name) => !Object.hasOwn(after.fields, name))
  return [
    ...gone.map((name): Change => ['major', `field ${name} is gone`]),
    ...Object.entries(after.fields).flatMap(([name, now]): Change[] => {
      const then = before.fields[name]
      return then ? changesOf(name, then, now) : [['minor', `field ${name} is new`]]
    }),
  ]
}

function changesOf(name: string, then: PromisedField, now: PromisedField): Change[] {
  const lost = (then.enum ?? []).filter((value) => now.enum && !now.enum.includes(value))
  const changes: (Change | false)[] = [
    then.type !== now.type && ['major', `field ${name} was ${then.type} and is ${now.type}`],
    then.unit !== now.unit && ['major', `field ${name} was in ${then.unit} and is in ${now.unit}`],
    !then.nullable && now.nullable && ['major', `field ${name} can be null now`],
    lost.length > 0 && ['major', `field ${name} no longer has ${lost.join(', ')}`],
    JSON.stringify(then.enum) !== JSON.stringify(now.enum) && lost.length === 0 && ['minor', `field ${name} has other possible values`],
    then.nullable && !now.nullable && ['minor', `field ${name} can no longer be null`],
    then.layer !== now.layer && ['minor', `field ${name} has moved to ${now.layer}`],
    then.lifecycle !== now.lifecycle && ['minor', `field ${name} was ${then.lifecycle} and is ${now.lifecycle}`],
    then.words !== now.words && ['patch', `field ${name} is worded differently`],
  ]
  return changes.filter((it) => it !== false)
}

function presetChanges(before: Promised, after: Promised): Change[] {
  const gone = Object.keys(before.presets).filter((name) => !Object.hasOwn(after.presets, name))
  return [
    ...gone.map((name): Change => ['major', `preset ${name} is gone`]),
    ...Object.entries(after.presets).flatMap(([name, members]): Change[] => {
      const then = before.presets[name]
      if (!then) return [['minor', `preset ${name} is new`]]
      if (JSON.stringify(then) === JSON.stringify(members)) return []
      return [[then.every((member, i) => members[i] === member) ? 'minor' : 'major', `preset ${name} has other members`]]
    }),
  ]
}

function promisedField({ type, unit, lifecycle, layer, null_meaning, enum: values, description, interpretation_hints, derivation }: Field): PromisedField {
  const words = Bun.hash(JSON.stringify([description, interpretation_hints, null_meaning, derivation])).toString(16)
  return { type, unit, lifecycle, layer, nullable: null_meaning !== null, enum: values ?? null, words }
}
