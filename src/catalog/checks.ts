import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { runToEnd, type TaskSteps } from '../async/incremental-task.ts'
import { drivers } from '../drivers/drivers.ts'
import { projectionOf } from '../geo/projection.ts'
import { compileCondition } from '../geo/text/sql-condition.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { compilePattern } from '../model/pattern.ts'
import { isRecord } from '../model/record.ts'
import type { Shape } from '../model/source.ts'
import { compileExpression, compileFormula } from '../operators/expression.ts'
import { operators } from '../operators/operators.ts'
import { confidenceErrors, standInErrors } from './confidence.ts'
import { isFullPreset } from './field-title.ts'
import { cycleErrors } from './cycle-checks.ts'
import { memberNamesIn } from './data-date.ts'
import type { CatalogContents, Dataset, Field, ReadSpec } from './records.ts'
import { readInputsOf, withNestedReads } from './read-spec.ts'
import { labelErrors, synonymErrors } from './word-checks.ts'
import { recipeErrors } from './recipe-checks.ts'
import { datasetReferencesIn, fillYear } from './resolve-read.ts'

const presetMembersMax = (name: string) => (isFullPreset(name) ? 200 : 50)

/** All errors of the contents, each with the name of its record; empty if the contents are valid. */
export const catalogErrorsOf = (contents: CatalogContents): string[] => runToEnd(checkContents(contents))

/** The steps of `catalogErrorsOf`: one for each dataset and field, because a catalog has hundreds. */
export function* checkContents(contents: CatalogContents): TaskSteps<string[]> {
  const errors = namingErrors(contents)
  for (const [id, dataset] of Object.entries(contents.datasets)) {
    errors.push(...datasetErrors(id, dataset))
    yield
  }
  const names = new Set(contents.fields.map((field) => field.name))
  for (const field of contents.fields) {
    errors.push(...fieldErrors(field, contents.datasets, names))
    yield
  }
  for (const errorsOf of [presetErrors, synonymErrors, labelErrors, evidenceErrors, canaryErrors, cycleErrors]) {
    errors.push(...errorsOf(contents))
    yield
  }
  return errors
}

function namingErrors({ fields, datasets }: CatalogContents): string[] {
  const names = fields.map((field) => field.name)
  const layers = fields.map((field) => field.layer).filter((layer, i, all) => layer !== all[i - 1])
  return [
    ...duplicatesIn(names).map((name) => `field ${name} is defined twice`),
    ...duplicatesIn(layers).map((layer) => `layer ${layer} is split: list its fields together`),
    ...[...names, ...Object.keys(datasets)]
      .filter((name) => !/^[a-z][a-z0-9_]{1,63}$/.test(name))
      .map((name) => `${name} is not a valid name: use 2 to 64 characters of a-z, 0-9 and _, starting with a letter`),
  ]
}

function datasetErrors(id: string, dataset: Dataset): string[] {
  return [
    ...recipeErrors(dataset).map((error) => `dataset ${id}, recipe: ${error}`),
    ...dateErrors(dataset).map((error) => `dataset ${id}, dated_by: ${error}`),
    ...confidenceErrors(dataset).map((error) => `dataset ${id}, confidence: ${error}`),
    ...dataset.serve.flatMap(({ driver, ...settings }) => {
      const schema = schemaOf(driver, drivers, 'config')
      if (!schema) return [`dataset ${id}: unknown driver ${driver}`]
      const shapes: readonly Shape[] | undefined = Object.hasOwn(drivers, driver) ? drivers[driver].shapes : undefined
      const violations = violationsOf(schema, settings).map((error) => `dataset ${id}, ${driver}: ${error}`)
      return [
        ...violations,
        ...(shapes?.includes(dataset.shape) === false
          ? [`dataset ${id}: driver ${driver} does not support shape ${dataset.shape}`]
          : []),
        ...(violations.length > 0 ? [] : Object.entries(settings).flatMap(settingErrors)).map(
          (error) => `dataset ${id}: ${error}`,
        ),
      ]
    }),
  ]
}

/** Only the listed attributes of features are requested, so those with the date must be among them. */
function dateErrors({ dated_by, attributes, shape }: Dataset): string[] {
  if (!dated_by) return []
  const missing =
    shape === 'features' && attributes ? memberNamesIn(dated_by.text).filter((it) => !attributes.includes(it)) : []
  return [
    ...missing.map((name) => `${name} is not in attributes`),
    ...(dated_by.from === undefined ? [] : compileErrors(dated_by.from, compileJsonPath)),
  ]
}

/** Errors of settings that are written in a language of their own, such as conditions and JSON paths. */
function settingErrors([name, value]: [name: string, value: unknown]): string[] {
  const compile = typeof value === 'string' && Object.hasOwn(settingParsers, name) ? settingParsers[name] : undefined
  return compile
    ? compileErrors(value as string, compile).map((error) => (name === 'where' ? error : `${name}: ${error}`))
    : []
}

const settingParsers: Record<string, (text: string) => unknown> = {
  where: compileCondition,
  endpoint: (text) => new URL(text.replace(/[{}]/g, '')),
  layer_name: (text) => compilePattern(text),
  json_path: compileJsonPath,
  crs: projectionOf,
}

function fieldErrors(field: Field, datasets: CatalogContents['datasets'], names: Set<string>): string[] {
  return [
    ...withNestedReads(field.read).flatMap((read) => readErrors(read, datasets, names)),
    ...claimErrors(field),
  ].map((error) => `field ${field.name}: ${error}`)
}

function readErrors(read: ReadSpec, datasets: Record<string, Dataset>, fields: Set<string>): string[] {
  const dataset = datasets[read.dataset]
  if (!dataset) return [`unknown dataset ${read.dataset}`]
  const schema = schemaOf(read.op, operators, 'args')
  if (!schema) return [`unknown operator ${read.op}`]
  const shape: Shape | null | undefined = Object.hasOwn(operators, read.op) ? operators[read.op].shape : undefined
  const inputs = readInputsOf(read).filter((it) => typeof it === 'string')
  return [
    ...violationsOf(schema, argumentsOf(read)).map((error) => `${read.op}: ${error}`),
    ...(shape && shape !== dataset.shape
      ? [`operator ${read.op} needs shape ${shape}, but dataset ${read.dataset} has shape ${dataset.shape}`]
      : []),
    ...inputs
      .filter((name) => !fields.has(name) && name !== 'lat' && name !== 'lng')
      .map((name) => `unknown field ${name}`),
    ...formulaErrors(read),
    ...standInErrors(read),
    ...codeErrors(read, dataset),
    ...flagErrors(read),
  ]
}

/** Errors of the conditions and expressions of a read: they must compile and use only known names. */
function formulaErrors(read: ReadSpec): string[] {
  const inputs = Object.keys(read.from ?? {})
  const variables = { computed: inputs, path: [...inputs, 'value'] }[read.op as string]
  return [
    ...('where' in read && read.where !== undefined
      ? compileErrors(fillYear(read.where, sampleYear), compileCondition)
      : []),
    ...('expression' in read && read.expression !== undefined
      ? compileErrors(read.expression, (text) =>
          variables ? compileExpression(text, variables) : compileFormula(text),
        )
      : []),
    ...('proportional_to' in read && read.proportional_to !== undefined && !inputs.includes(read.proportional_to)
      ? [`proportional_to: ${read.proportional_to} is not one of the inputs in \`from\``]
      : []),
    ...patternErrors(read),
    ...(read.skip_when === undefined ? [] : compileErrors(read.skip_when, (text) => compileExpression(text, inputs))),
  ]
}

const sampleYear = 2000

function patternErrors(read: ReadSpec): string[] {
  const { true_values, false_values, unknown_values } = read as Record<string, unknown>
  return [true_values, false_values, unknown_values].flatMap((values) =>
    isRecord(values) && typeof values.matches === 'string' ? compileErrors(values.matches, compilePattern) : [],
  )
}

/** An attribute that says yes or no has values for both: a value that no list has fails, and is never false. */
function flagErrors(read: ReadSpec): string[] {
  if (read.op !== 'within' && read.op !== 'sample') return []
  const { true_values, false_values } = read
  const lists = [true_values, false_values].filter((it) => it !== undefined).length
  const hasAttribute = read.op === 'sample' ? lists > 0 : read.attribute !== undefined
  if (hasAttribute && lists < 2) return [`${read.op}: list both true_values and false_values of the attribute`]
  return !hasAttribute && lists > 0 ? [`${read.op}: true_values and false_values need the attribute that has them`] : []
}

function compileErrors(text: string, compile: (text: string) => unknown): string[] {
  try {
    compile(text)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function codeErrors(read: ReadSpec, { code_sets = {}, classes }: Dataset): string[] {
  const { codeSets, isLabelled } = datasetReferencesIn(read)
  return [
    ...codeSets
      .filter((name) => !Object.hasOwn(code_sets, name))
      .map((name) => `dataset ${read.dataset} has no code set ${name}`),
    ...(isLabelled && !classes ? [`dataset ${read.dataset} has no classes`] : []),
  ]
}

function claimErrors(field: Field): string[] {
  const { type, unit, decimals, lifecycle, replaced_by, evidence, valid_range, pattern, earliest, enum: values } = field
  const isNumber = type === 'integer' || type === 'float'
  const fits = (value: string | number) => (isNumber ? typeof value === 'number' : typeof value === 'string')
  return [
    ...(valid_range && !isNumber ? ['valid_range is allowed only for numbers'] : []),
    ...(valid_range && (valid_range[0] ?? -Infinity) >= (valid_range[1] ?? Infinity)
      ? ['valid_range is empty: min must be below max']
      : []),
    ...(pattern === undefined ? [] : compileErrors(pattern, compilePattern)),
    ...(pattern !== undefined && (type !== 'string' || values) ? ['pattern is for text without an enum'] : []),
    ...(earliest !== undefined && (unit !== 'date' || !/^\d{4}-\d\d-\d\d$/.test(earliest))
      ? ['earliest is a day such as 1968-08-01, for the unit date']
      : []),
    ...(values?.some((value) => !fits(value)) ? [`enum has a value that is not of type ${type}`] : []),
    ...(unit !== null && !isNumber && unit !== 'date' ? [`unit must be null for type ${type}`] : []),
    ...(isNumber && unit === null ? [`unit is missing for type ${type}`] : []),
    ...(decimals !== undefined && (type !== 'float' || !Number.isInteger(decimals) || decimals < 0 || decimals > 9)
      ? ['decimals is allowed only for type float, from 0 to 9']
      : []),
    ...(lifecycle === 'deprecated' && !replaced_by ? ['replaced_by is missing for a deprecated field'] : []),
    ...(lifecycle === 'stable' && evidence.startsWith('open point')
      ? ['the evidence of a stable field must not start with "open point"']
      : []),
  ]
}

function presetErrors({ presets, fields }: CatalogContents): string[] {
  const names = new Set(fields.map((field) => field.name))
  return Object.entries(presets).flatMap(([preset, { fields: members, key_fields = [] }]) => [
    ...members.filter((name) => !names.has(name)).map((name) => `preset ${preset}: unknown field ${name}`),
    ...key_fields.filter((name) => !members.includes(name)).map((name) => `preset ${preset}: no member ${name}`),
    ...duplicatesIn(members).map((name) => `preset ${preset}: field ${name} is listed twice`),
    ...(members.length === 0 || members.length > presetMembersMax(preset)
      ? [`preset ${preset} has ${members.length} fields; 1 to ${presetMembersMax(preset)} are allowed`]
      : []),
  ])
}

function evidenceErrors({ fields, fieldEvidence }: CatalogContents): string[] {
  const names = new Set(fields.map(({ name }) => name))
  const confirmed = fieldEvidence.flatMap((group) => group.fields)
  return [
    ...confirmed.filter((name) => !names.has(name)).map((name) => `evidence of ${name}: unknown field`),
    ...duplicatesIn(confirmed).map((name) => `evidence of ${name}: the field is listed twice`),
    ...fieldEvidence
      .filter(({ date }) => date !== null && !/^\d{4}(-\d\d){0,2}$/.test(date))
      .map(({ source, date }) => `evidence from ${source}: ${date} is not a year, month or day`),
  ]
}

function canaryErrors({ fields, datasets, canaries }: CatalogContents): string[] {
  const reads = new Map(fields.map(({ name, read }) => [name, withNestedReads(read)]))
  return Object.entries(canaries).flatMap(([id, questions]) => [
    ...(Object.hasOwn(datasets, id) ? [] : [`canaries of ${id}: unknown dataset`]),
    ...questions.flatMap(({ field, fact }) => [
      ...(reads.get(field)?.some(({ dataset }) => dataset === id)
        ? []
        : [`canaries of ${id}: no field ${field} reads this dataset`]),
      ...(fact && 'pattern' in fact.expected ? compileErrors(fact.expected.pattern, compilePattern) : []),
    ]),
  ])
}

/** The members of a read that are not arguments of its operator. */
const readMembers = new Set([
  'dataset',
  'op',
  'key',
  'from',
  'skip_when',
  'skip_reason',
  'stand_in',
  'fallback',
  'when',
])

function argumentsOf(read: ReadSpec): Record<string, unknown> {
  return Object.fromEntries(Object.entries(read).filter(([name]) => !readMembers.has(name)))
}

type SchemaRegistry<Part extends string> = Record<string, Partial<Record<Part, TSchema>>>

function schemaOf<Part extends string>(name: string, registry: SchemaRegistry<Part>, part: Part): TSchema | undefined {
  return Object.hasOwn(registry, name) ? registry[name]![part] : undefined
}

function violationsOf(schema: TSchema, value: unknown): string[] {
  return [...Value.Errors({ ...schema, additionalProperties: false }, value)].map(
    ({ path, message }) => `${path || '/'}: ${message}`,
  )
}

function duplicatesIn(names: string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))]
}
