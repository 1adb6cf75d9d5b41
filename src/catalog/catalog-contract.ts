import type { CatalogContents, Field } from './records.ts'

/** What clients hold the catalog to. Kept as a golden file, one record a field, so that a change can be judged. */
export type CatalogContract = {
  version: string
  fields: Record<string, FieldContract>
  presets: Record<string, string[]>
}
type FieldContract = Pick<Field, 'type' | 'unit' | 'lifecycle' | 'layer'> & {
  nullable: boolean
  enum: (string | number)[] | null
  words: string
}

const versionBumps = ['none', 'patch', 'minor', 'major'] as const
/** One kind of version. */
export type VersionBump = (typeof versionBumps)[number]

/** What the contents promise to clients. */
export function contractOf({ version, fields, presets }: CatalogContents): CatalogContract {
  return {
    version,
    fields: Object.fromEntries(fields.map((field) => [field.name, fieldContractOf(field)])),
    presets: Object.fromEntries(Object.entries(presets).map(([name, { fields: members }]) => [name, members])),
  }
}

/** Which kind of version a change needs, and why, by the rules of the specification: wording is patch, more is minor, other or less is major. */
export function compareContracts(
  before: CatalogContract,
  after: CatalogContract,
): { bump: VersionBump; reasons: string[] } {
  const changes = [...fieldChanges(before, after), ...presetChanges(before, after)]
  const bump = changes.reduce<VersionBump>(
    (most, [changeBump]) => (versionBumps.indexOf(changeBump) > versionBumps.indexOf(most) ? changeBump : most),
    'none',
  )
  return { bump, reasons: changes.map(([changeBump, reason]) => `${changeBump}: ${reason}`) }
}

/** Whether a version is far enough from the one before for a change of this kind. */
export function isSufficientBump(before: string, after: string, bump: VersionBump): boolean {
  const [a, b] = [before, after].map((version) => version.split('.').map(Number)) as [number[], number[]]
  const changedPart = [0, 1, 2].find((i) => a[i] !== b[i])
  if (bump === 'none') return true
  return (
    changedPart !== undefined &&
    b[changedPart]! > a[changedPart]! &&
    changedPart <= { patch: 2, minor: 1, major: 0 }[bump]
  )
}

type Change = [bump: VersionBump, reason: string]

function fieldChanges(before: CatalogContract, after: CatalogContract): Change[] {
  const removed = Object.keys(before.fields).filter((name) => !Object.hasOwn(after.fields, name))
  return [
    ...removed.map((name): Change => ['major', `field ${name} is gone`]),
    ...Object.entries(after.fields).flatMap(([name, current]): Change[] => {
      const previous = before.fields[name]
      return previous ? changesOf(name, previous, current) : [['minor', `field ${name} is new`]]
    }),
  ]
}

function changesOf(name: string, previous: FieldContract, current: FieldContract): Change[] {
  const removedValues = (previous.enum ?? []).filter((value) => current.enum && !current.enum.includes(value))
  const changes: (Change | false)[] = [
    previous.type !== current.type && ['major', `field ${name} was ${previous.type} and is ${current.type}`],
    previous.unit !== current.unit && ['major', `field ${name} was in ${previous.unit} and is in ${current.unit}`],
    !previous.nullable && current.nullable && ['major', `field ${name} can be null now`],
    removedValues.length > 0 && ['major', `field ${name} no longer has ${removedValues.join(', ')}`],
    JSON.stringify(previous.enum) !== JSON.stringify(current.enum) &&
      removedValues.length === 0 && ['minor', `field ${name} has other possible values`],
    previous.nullable && !current.nullable && ['minor', `field ${name} can no longer be null`],
    previous.layer !== current.layer && ['minor', `field ${name} has moved to ${current.layer}`],
    previous.lifecycle !== current.lifecycle && [
      'minor',
      `field ${name} was ${previous.lifecycle} and is ${current.lifecycle}`,
    ],
    previous.words !== current.words && ['patch', `field ${name} is worded differently`],
  ]
  return changes.filter((it) => it !== false)
}

function presetChanges(before: CatalogContract, after: CatalogContract): Change[] {
  const removed = Object.keys(before.presets).filter((name) => !Object.hasOwn(after.presets, name))
  return [
    ...removed.map((name): Change => ['major', `preset ${name} is gone`]),
    ...Object.entries(after.presets).flatMap(([name, members]): Change[] => {
      const previous = before.presets[name]
      if (!previous) return [['minor', `preset ${name} is new`]]
      if (JSON.stringify(previous) === JSON.stringify(members)) return []
      return [
        [previous.every((member, i) => members[i] === member) ? 'minor' : 'major', `preset ${name} has other members`],
      ]
    }),
  ]
}

function fieldContractOf({
  type,
  unit,
  lifecycle,
  layer,
  null_meaning,
  enum: values,
  description,
  interpretation_hints,
  derivation,
}: Field): FieldContract {
  const words = Bun.hash(JSON.stringify([description, interpretation_hints, null_meaning, derivation])).toString(16)
  return { type, unit, lifecycle, layer, nullable: null_meaning !== null, enum: values ?? null, words }
}
