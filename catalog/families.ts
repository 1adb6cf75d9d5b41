import type { Field, ReadSpec } from '../src/catalog/records.ts'
import type { Region } from '../src/model/place.ts'

/** The evidence of a read that public documentation, code or an answer shows. */
export const documented = 'confirmed by public documentation, code or recorded answers'

/**
 * What the fields of a family share. A field is `beta` and has no derivation unless the family or the row says so.
 * `covers`: the regions of the source if it does not cover all; outside them the fields are null.
 */
export type Family = Pick<Field, 'layer' | 'ttl_seconds' | 'evidence'> &
  Partial<Pick<Field, 'lifecycle' | 'derivation' | 'source_url'>> & { dataset: string; covers?: Region[] }

/** Fields that have the members of `shared` unless their own record says otherwise. */
export function fieldsSharing<Shared extends Partial<Field>>(
  shared: Shared,
  records: (Omit<Field, keyof Shared> & Partial<Pick<Field, keyof Shared & keyof Field>>)[],
): Field[] {
  return records.map((record) => ({ ...shared, ...record }) as Field)
}

/** The texts of a field, and its members that differ from those of the family. A row is a string unless it says so. */
type Row = { hints: string } & Partial<Omit<Field, 'name' | 'interpretation_hints' | 'read'>>
type DescribedRow = Row & { description: string }

/** The arguments of an operator in a row, with the members of a read that do not depend on the operator. */
type Args<Op extends ReadSpec['op']> = Omit<Extract<ReadSpec, { op: Op }>, 'op' | 'dataset'>

type NearestRow = Row &
  (
    | { distance: true; read?: Partial<Args<'nearest_distance'>> }
    | { of: string; attribute?: string; read?: Partial<Args<'nearest_attribute'>> }
    | { within_m: number; description: string; read?: Partial<Args<'count'>> }
    | ({ within_m: number; description: string } & Pick<Args<'aggregate'>, 'attribute' | 'reducer' | 'pick'>)
  )
/** What the fields about the nearest `thing` share: where it is looked for, and what it must meet. */
export type NearestFamily = Family & { thing: string; radii_m: number[]; where?: string; else_where?: string[] }

/**
 * Fields about the nearest `thing`: its distance, its attributes (`of` starts the description, such as `Name of`;
 * `read.expression` is a formula over them), and the number of things within a radius, or an attribute of theirs reduced
 * to one value. Nothing within the radius is null, a count is 0. `else_where`: conditions that are tried in turn if no
 * thing within the last radius meets `where`.
 */
export function nearest(family: NearestFamily, rows: Record<string, NearestRow>): Field[] {
  const { thing, radii_m, where, else_where, ...shared } = family
  const condition = where === undefined ? {} : { where }
  const search = { ...condition, search_radii_m: radii_m }
  const withElse = <R extends FamilyRead>(read: R): R =>
    else_where === undefined
      ? read
      : {
          ...read,
          fallback: else_where.map((where) => ({ ...read, when: ['absent'], dataset: family.dataset, where })),
        }
  const last_m = radii_m.at(-1)!
  const none = `No ${thing} within ${lengthText(last_m)}`
  return Object.entries(rows).map(([name, row]) => {
    if ('distance' in row) {
      const { distance: _, read, ...own } = row
      const texts = { description: `Distance to the nearest ${thing}.`, null_meaning: nullOr(`${none}.`, family) }
      const number = float('m', 1, [0, last_m])
      return familyField(
        name,
        { ...number, ...texts, ...own },
        shared,
        withElse({ op: 'nearest_distance', ...search, ...read }),
      )
    }
    if ('reducer' in row) {
      const { within_m, attribute, reducer, pick, ...own } = row
      const null_meaning = nullOr(`No ${thing} within ${lengthText(within_m)}, or their records do not say.`, family)
      const order = pick === undefined ? {} : { pick }
      const read = { op: 'aggregate', radius_m: within_m, attribute, reducer, ...order, ...condition } as const
      return familyField(name, { null_meaning, ...own }, shared, read)
    }
    if ('of' in row) {
      const { of, attribute, read, ...own } = row
      const null_meaning = nullOr(`${none}, or its record does not say.`, family)
      const texts = { description: `${of} the nearest ${thing}.`, null_meaning }
      const value = attribute === undefined ? {} : { attribute }
      return familyField(
        name,
        { ...texts, ...own },
        shared,
        withElse({ op: 'nearest_attribute', ...value, ...search, ...read }),
      )
    }
    const { within_m, read, ...own } = row
    const count = { ...integer('count', [0, countMax]), null_meaning: onlyOutside(family) }
    return familyField(name, { ...count, ...own }, shared, { op: 'count', radius_m: within_m, ...condition, ...read })
  })
}

type PolygonRow = DescribedRow &
  ({ within: true; read?: Partial<Args<'within'>> } | { attribute?: string; read?: Partial<Args<'attribute'>> })

/** Fields about the polygon of a `thing` at the point: whether there is one, and its attributes. */
export function polygonAtPoint(
  family: Family & { thing: string; where?: string; pick?: string[] },
  rows: Record<string, PolygonRow>,
): Field[] {
  const { thing, where, pick, ...shared } = family
  const condition = where === undefined ? {} : { where }
  const order = pick === undefined ? {} : { pick }
  return Object.entries(rows).map(([name, row]) => {
    if ('within' in row) {
      const { within: _, read, ...own } = row
      const yesNo = { type: 'boolean', null_meaning: onlyOutside(family) } as const
      return familyField(name, { ...yesNo, ...own }, shared, {
        op: 'within',
        ...(read?.attribute === undefined && condition),
        ...read,
      })
    }
    const { attribute, read, ...own } = row
    const null_meaning = nullOr(`The point is in no ${thing}, or its record does not say.`, family)
    return familyField(name, { null_meaning, ...own }, shared, {
      op: 'attribute',
      ...(attribute !== undefined && { attribute }),
      ...condition,
      ...order,
      ...read,
    })
  })
}

/** Fields that sample a raster at the point. `none` says what a cell without a value means. */
export function rasterSample(
  family: Family & { none: string; read?: Partial<Args<'sample'>> },
  rows: Record<string, DescribedRow & { read?: Partial<Args<'sample'>> }>,
): Field[] {
  const { none, read: common, ...shared } = family
  return Object.entries(rows).map(([name, { read, ...own }]) =>
    familyField(name, { null_meaning: nullOr(none, family), ...own }, shared, {
      op: 'sample',
      resampling: 'nearest',
      ...common,
      ...read,
    }),
  )
}

/** Fields from the row of a table, such as that of a county, tract or state. `none` says what a missing row means. */
export function tableRow(
  family: Family & { key?: string | string[]; none: string; read?: Partial<Args<'row'>> },
  rows: Record<string, DescribedRow & { read: Partial<Args<'row'>> }>,
): Field[] {
  const { none, key, read: common, ...shared } = family
  return Object.entries(rows).map(([name, { read, ...own }]) =>
    familyField(name, { null_meaning: nullOr(none, family), ...own }, shared, {
      op: 'row',
      ...(key !== undefined && { key }),
      ...common,
      ...read,
    }),
  )
}

/** Fields from a path of a document about the point, which start at `root`. `none` says what a gap means. */
export function documentPath(
  family: Family & { root: string; none: string; read?: Partial<Args<'path'>> },
  rows: Record<string, DescribedRow & { path: string; read?: Partial<Args<'path'>> }>,
): Field[] {
  const { root, none, read: common, ...shared } = family
  return Object.entries(rows).map(([name, { path, read, ...own }]) =>
    familyField(name, { null_meaning: nullOr(none, family), ...own }, shared, {
      op: 'path',
      json_path: `${root}${path}`,
      ...common,
      ...read,
    }),
  )
}

/**
 * Fields computed from other fields, or from reads of their own. `derivation` states each formula. The dataset is that of
 * their reads, if they have any.
 */
export function computed(
  family: Omit<Family, 'dataset' | 'evidence'> & Partial<Pick<Family, 'dataset' | 'evidence'>>,
  rows: Record<
    string,
    DescribedRow &
      Pick<ReadSpec, 'from' | 'stand_in'> & { derivation: string; null_meaning: string | null; expression: string }
  >,
): Field[] {
  return Object.entries(rows).map(([name, { from = {}, expression, stand_in, ...own }]) => {
    const dataset = Object.keys(from).length === 0 ? 'computed' : 'computed_from_fields'
    const shared = { dataset, evidence: 'pure computation', ...family }
    const standIn = stand_in === undefined ? {} : { stand_in }
    return familyField(name, own, shared, { op: 'computed', from, expression, ...standIn })
  })
}

type NumberMembers = Required<Pick<Field, 'type' | 'unit' | 'valid_range'>>

/** The members of a row with a number, and how many decimals are answered. */
export function float(unit: string, decimals: number, valid_range: [number, number]) {
  return { type: 'float', unit, decimals, valid_range } satisfies NumberMembers & { decimals: number }
}

/** The members of a row with a whole number. */
export function integer(unit: string, valid_range: [number, number]) {
  return { type: 'integer', unit, valid_range } satisfies NumberMembers
}

/** More features than this within a radius are not a count but an error of the source. */
const countMax = 1_000_000

/** A read without its dataset: that of the family. */
type FamilyRead = { [Op in ReadSpec['op']]: { op: Op } & Args<Op> }[ReadSpec['op']]

/** A field of a row of a family. */
export function familyField(name: string, row: DescribedRow, family: Family, read: FamilyRead): Field {
  const { hints, ...own } = row
  const { dataset, covers: _, ...shared } = family
  return {
    name,
    type: 'string',
    unit: null,
    lifecycle: 'beta',
    derivation: null,
    null_meaning: null,
    ...shared,
    ...own,
    interpretation_hints: hints,
    read: { dataset, ...read },
  }
}

const regionNames: Record<Region, string> = {
  conus: '48 states and DC',
  ak: 'Alaska',
  hi: 'Hawaii',
  pr: 'Puerto Rico',
  vi: 'US Virgin Islands',
  gu: 'Guam',
  as: 'American Samoa',
  mp: 'Northern Mariana Islands',
}

function coverageText(covers: Region[]): string {
  return `outside the coverage of the source (${covers.map((region) => regionNames[region]).join(', ')})`
}

/** What null means, with the coverage of a source that does not cover all regions. */
function nullOr(none: string, { covers }: Pick<Family, 'covers'>): string {
  return covers === undefined ? none : `${none} Also null ${coverageText(covers)}.`
}

function onlyOutside({ covers }: Pick<Family, 'covers'>): string | null {
  return covers === undefined ? null : `O${coverageText(covers).slice(1)}.`
}

function lengthText(length_m: number): string {
  return length_m < 1_000 ? `${length_m} m` : `${(length_m / 1_000).toLocaleString('en-US')} km`
}
