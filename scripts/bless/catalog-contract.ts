import type { CatalogContents, Field } from '../../src/catalog/records.ts'

/**
 * What the catalog promises to clients. A golden file holds it, one record per field, so that changes can be
 * classified.
 */
export type CatalogContract = {
  version: string
  fields: Record<string, FieldContract>
  presets: Record<string, string[]>
}
type FieldContract = Pick<Field, 'type' | 'unit' | 'lifecycle' | 'layer'> & {
  nullable: boolean
  enum: (string | number)[] | null
  words: string
  /** A hash of how the value is read and rounded. Contracts before 0.2.0 have none. */
  reading?: string
}

const versionBumps = ['none', 'patch', 'minor', 'major'] as const
/** The version part that a change must raise. */
export type VersionBump = (typeof versionBumps)[number]

/** The contract of catalog contents. */
export function contractOf({ version, fields, presets }: CatalogContents): CatalogContract {
  return {
    version,
    fields: Object.fromEntries(fields.map((field) => [field.name, fieldContractOf(field)])),
    presets: Object.fromEntries(Object.entries(presets).map(([name, { fields: members }]) => [name, members])),
  }
}

/**
 * Which version part a change must raise, and why. Wording is patch, so that a patch version is safe to ignore;
 * additions and another reading, which may correct values, are minor; changes and removals are major.
 */
export function compareContracts(
  before: CatalogContract,
  after: CatalogContract,
): { bump: VersionBump; reasons: string[] } {
  const changes = [
    ...changesByName('field', { before: before.fields, after: after.fields }, changesOfField),
    ...changesByName('preset', { before: before.presets, after: after.presets }, changesOfPreset),
  ]
  const bump = changes.reduce<VersionBump>(
    (most, [changeBump]) => (versionBumps.indexOf(changeBump) > versionBumps.indexOf(most) ? changeBump : most),
    'none',
  )
  return { bump, reasons: changes.map(([changeBump, reason]) => `${changeBump}: ${reason}`) }
}

/** Whether a new version raises the required part. */
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

/** The changes of fields or presets by name. `changesOf`: those of one that is in both. */
function changesByName<T>(
  kind: 'field' | 'preset',
  { before, after }: Record<'before' | 'after', Record<string, T>>,
  changesOf: (name: string, previous: T, current: T) => Change[],
): Change[] {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return [
    ...removed.map((name): Change => ['major', `${kind} ${name} is removed`]),
    ...Object.entries(after).flatMap(([name, current]): Change[] => {
      const previous = before[name]
      return previous ? changesOf(name, previous, current) : [['minor', `${kind} ${name} is new`]]
    }),
  ]
}

function changesOfField(name: string, previous: FieldContract, current: FieldContract): Change[] {
  const removedValues = (previous.enum ?? []).filter((value) => current.enum && !current.enum.includes(value))
  const changes: (Change | false)[] = [
    previous.type !== current.type && [
      'major',
      `the type of field ${name} changes from ${previous.type} to ${current.type}`,
    ],
    previous.unit !== current.unit && [
      'major',
      `the unit of field ${name} changes from ${previous.unit} to ${current.unit}`,
    ],
    !previous.nullable && current.nullable && ['major', `field ${name} becomes nullable`],
    removedValues.length > 0 && ['major', `field ${name} loses the values ${removedValues.join(', ')}`],
    JSON.stringify(previous.enum) !== JSON.stringify(current.enum) &&
      removedValues.length === 0 && ['minor', `field ${name} gets other enum values`],
    previous.nullable && !current.nullable && ['minor', `field ${name} is no longer nullable`],
    previous.layer !== current.layer && ['minor', `field ${name} moves to layer ${current.layer}`],
    previous.lifecycle !== current.lifecycle && [
      'minor',
      `the lifecycle of field ${name} changes from ${previous.lifecycle} to ${current.lifecycle}`,
    ],
    previous.reading !== undefined &&
      previous.reading !== current.reading && ['minor', `field ${name} is read differently`],
    previous.words !== current.words && ['patch', `the wording of field ${name} changes`],
  ]
  return changes.filter((it) => it !== false)
}

function changesOfPreset(name: string, previous: string[], current: string[]): Change[] {
  if (JSON.stringify(previous) === JSON.stringify(current)) return []
  const isExtended = previous.every((member, i) => current[i] === member)
  return [[isExtended ? 'minor' : 'major', `the fields of preset ${name} change`]]
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
  read,
  decimals,
}: Field): FieldContract {
  const words = Bun.hash(JSON.stringify([description, interpretation_hints, null_meaning, derivation])).toString(16)
  const reading = Bun.hash(JSON.stringify([read, decimals ?? null])).toString(16)
  return { type, unit, lifecycle, layer, nullable: null_meaning !== null, enum: values ?? null, words, reading }
}
