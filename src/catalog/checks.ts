import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { drivers } from '../drivers/drivers.ts'
import { projectionOf } from '../geo/projection.ts'
import { compileCondition } from '../geo/sql-condition.ts'
import { compileJsonPath } from '../model/json-path.ts'
import type { Shape } from '../model/source.ts'
import { compileExpression, compileFormula } from '../operators/expression.ts'
import { operators } from '../operators/operators.ts'
import type { Contents, Dataset, Field, Read } from './entry.ts'
import { needsOf } from './needs.ts'
import { recipeFaults } from './recipe-checks.ts'
import { namedIn } from './settle.ts'
import { inYear } from './year.ts'

const presetMembersMax = 50

/** Every fault of the contents at once, each by the name of the record it is in; empty when the catalog holds together. */
export function faultsOf(contents: Contents): string[] {
  return [...namingFaults(contents), ...datasetFaults(contents), ...fieldFaults(contents), ...presetFaults(contents), ...synonymFaults(contents), ...circleFaults(contents)]
}

function namingFaults({ fields, datasets }: Contents): string[] {
  const names = fields.map((field) => field.name)
  const layers = fields.map((field) => field.layer).filter((layer, i, all) => layer !== all[i - 1])
  return [
    ...repeated(names).map((name) => `field ${name} is there twice`),
    ...repeated(layers).map((layer) => `layer ${layer} stands in two places: the fields of a layer stand together`),
    ...[...names, ...Object.keys(datasets)].filter((name) => !/^[a-z][a-z0-9_]{1,63}$/.test(name)).map((name) => `${name} is not a name in snake_case`),
  ]
}

function datasetFaults({ datasets }: Contents): string[] {
  return Object.entries(datasets).flatMap(([id, dataset]) => [
    ...recipeFaults(dataset).map((fault) => `dataset ${id}, recipe: ${fault}`),
    ...dataset.serve.flatMap(({ driver, ...settings }) => {
      const schema = schemaOf(driver, drivers, 'config')
      if (!schema) return [`dataset ${id}: there is no driver ${driver}`]
      const shapes: readonly Shape[] | undefined = Object.hasOwn(drivers, driver) ? drivers[driver].shapes : undefined
      const violations = violationsOf(schema, settings).map((fault) => `dataset ${id}, ${driver}: ${fault}`)
      return [
        ...violations,
        ...(shapes?.includes(dataset.shape) === false ? [`dataset ${id}: ${driver} does not give ${dataset.shape}`] : []),
        ...(violations.length > 0 ? [] : Object.entries(settings).flatMap(settingFaults)).map((fault) => `dataset ${id}: ${fault}`),
      ]
    }),
  ])
}

/** What a setting says in a language of its own must be of it. */
function settingFaults([name, value]: [name: string, value: unknown]): string[] {
  const compile = typeof value === 'string' && Object.hasOwn(languages, name) ? languages[name] : undefined
  return compile ? compiling(value as string, compile).map((fault) => (name === 'where' ? fault : `${name}: ${fault}`)) : []
}

const languages: Record<string, (text: string) => unknown> = {
  where: compileCondition,
  endpoint: (text) => new URL(text.replace(/[{}]/g, '')),
  layer_name: (text) => new RegExp(text, 'i'),
  json_path: compileJsonPath,
  crs: projectionOf,
}

function fieldFaults({ fields, datasets }: Contents): string[] {
  const names = new Set(fields.map((field) => field.name))
  return fields.flatMap((field) => [
    ...readsOf(field.read).flatMap((read) => readFaults(read, datasets, names)),
    ...claimFaults(field),
  ].map((fault) => `field ${field.name}: ${fault}`))
}

function readFaults(read: Read, datasets: Record<string, Dataset>, fields: Set<string>): string[] {
  const dataset = datasets[read.dataset]
  if (!dataset) return [`reads ${read.dataset}, which is no dataset`]
  const schema = schemaOf(read.op, operators, 'args')
  if (!schema) return [`there is no operator ${read.op}`]
  const over: Shape | null | undefined = Object.hasOwn(operators, read.op) ? operators[read.op].shape : undefined
  const named = needsOf(read).filter((it) => typeof it === 'string')
  return [
    ...violationsOf(schema, argumentsOf(read)).map((fault) => `${read.op}: ${fault}`),
    ...(over && over !== dataset.shape ? [`${read.op} reads ${over}, and ${read.dataset} gives ${dataset.shape}`] : []),
    ...named.filter((name) => !fields.has(name) && name !== 'lat' && name !== 'lng').map((name) => `reads ${name}, which is no field`),
    ...formulaFaults(read),
    ...tableFaults(read, dataset),
  ]
}

/** What a read says in the two small languages of the catalog must compile, with no name that it cannot know. */
function formulaFaults(read: Read): string[] {
  const inputs = Object.keys(read.from ?? {})
  const known = { computed: inputs, path: [...inputs, 'value'] }[read.op as string]
  return [
    ...('where' in read && read.where !== undefined ? compiling(inYear(read.where, anyYear), compileCondition) : []),
    ...('expression' in read && read.expression !== undefined ? compiling(read.expression, (text) => (known ? compileExpression(text, known) : compileFormula(text))) : []),
    ...(read.skip_when === undefined ? [] : compiling(read.skip_when, (text) => compileExpression(text, inputs))),
  ]
}

const anyYear = 2000

function compiling(text: string, compile: (text: string) => unknown): string[] {
  try {
    compile(text)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function tableFaults(read: Read, { code_sets = {}, classes }: Dataset): string[] {
  const { codeSets, isLabelled } = namedIn(read)
  return [
    ...codeSets.filter((name) => !Object.hasOwn(code_sets, name)).map((name) => `uses the code set ${name}, which ${read.dataset} does not have`),
    ...(isLabelled && !classes ? [`uses the classes of ${read.dataset}, which has none`] : []),
  ]
}

function claimFaults({ type, unit, lifecycle, replaced_by, evidence, valid_range, enum: values }: Field): string[] {
  const isNumber = type === 'integer' || type === 'float'
  const fits = (value: string | number) => (isNumber ? typeof value === 'number' : typeof value === 'string')
  return [
    ...(valid_range && !isNumber ? ['valid_range is for numbers'] : []),
    ...(valid_range && (valid_range[0] ?? -Infinity) >= (valid_range[1] ?? Infinity) ? ['valid_range is empty'] : []),
    ...(values?.some((value) => !fits(value)) ? [`enum has a value that is no ${type}`] : []),
    ...(unit !== null && !isNumber && unit !== 'date' ? [`a ${type} has no unit`] : []),
    ...(isNumber && unit === null ? ['a number has a unit'] : []),
    ...(lifecycle === 'deprecated' && !replaced_by ? ['is deprecated, and replaced_by is missing'] : []),
    ...(lifecycle === 'stable' && evidence.startsWith('open point') ? ['has an open point, and is stable'] : []),
  ]
}

function presetFaults({ presets, fields }: Contents): string[] {
  const names = new Set(fields.map((field) => field.name))
  return Object.entries(presets).flatMap(([preset, { fields: members }]) => [
    ...members.filter((name) => !names.has(name)).map((name) => `preset ${preset} names ${name}, which is no field`),
    ...repeated(members).map((name) => `preset ${preset} names ${name} twice`),
    ...(members.length === 0 || members.length > presetMembersMax ? [`preset ${preset} has ${members.length} members; 1 to ${presetMembersMax} are allowed`] : []),
  ])
}

function synonymFaults({ synonyms, fields }: Contents): string[] {
  const names = new Set(fields.map((field) => field.name))
  return Object.entries(synonyms).flatMap(([word, meant]) => meant.filter((name) => !names.has(name)).map((name) => `synonym ${word} names ${name}, which is no field`))
}

function circleFaults({ fields }: Contents): string[] {
  const needs = new Map(fields.map((field) => [field.name, readsOf(field.read).flatMap(needsOf)]))
  const done = new Set<string>()
  const visit = (name: string, path: string[]): string[] => {
    if (path.includes(name)) return [`field ${name} needs itself: ${[...path.slice(path.indexOf(name)), name].join(' -> ')}`]
    if (done.has(name)) return []
    const circles = (needs.get(name) ?? []).flatMap((it) => (typeof it === 'string' ? visit(it, [...path, name]) : []))
    done.add(name)
    return circles
  }
  return fields.flatMap((field) => visit(field.name, []))
}

/** A read and all the reads inside it. */
function readsOf(read: Read): Read[] {
  const inner = [...Object.values(read.from ?? {}).filter((it): it is Read => typeof it !== 'string'), ...(read.fallback ?? [])]
  return [read, ...inner.flatMap(readsOf)]
}

/** What a read says beside its operator's arguments. */
const readMembers = new Set(['dataset', 'op', 'key', 'from', 'skip_when', 'fallback', 'when'])

function argumentsOf(read: Read): Record<string, unknown> {
  return Object.fromEntries(Object.entries(read).filter(([name]) => !readMembers.has(name)))
}

type Written<Part extends string> = Record<string, Partial<Record<Part, TSchema>>>

function schemaOf<Part extends string>(name: string, written: Written<Part>, part: Part): TSchema | undefined {
  return Object.hasOwn(written, name) ? written[name]![part] : undefined
}

function violationsOf(schema: TSchema, value: unknown): string[] {
  return [...Value.Errors({ ...schema, additionalProperties: false }, value)].map(({ path, message }) => `${path || '/'}: ${message}`)
}

function repeated(names: string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))]
}
