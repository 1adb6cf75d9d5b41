import type { Field, ReadSpec } from '../src/catalog/records.ts'
import type { Region } from '../src/model/place.ts'

/** The evidence of a read that public documentation, code or an answer shows. */
export const documented = 'confirmed by public documentation, code or recorded answers'

/**
 * What the fields of a family share. A field is `beta` and has no derivation unless the family or the row says so.
 * `covers`: the regions of the source if it does not cover all; outside them the fields are null.
 */
type Family = Pick<Field, 'layer' | 'ttl_seconds' | 'evidence'> &
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
type NearestFamily = Family & { thing: string; radii_m: number[]; where?: string; else_where?: string[] }

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
      return fieldOf(
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
      return fieldOf(name, { null_meaning, ...own }, shared, read)
    }
    if ('of' in row) {
      const { of, attribute, read, ...own } = row
      const null_meaning = nullOr(`${none}, or its record does not say.`, family)
      const texts = { description: `${of} the nearest ${thing}.`, null_meaning }
      const value = attribute === undefined ? {} : { attribute }
      return fieldOf(
        name,
        { ...texts, ...own },
        shared,
        withElse({ op: 'nearest_attribute', ...value, ...search, ...read }),
      )
    }
    const { within_m, read, ...own } = row
    const count = { ...integer('count', [0, countMax]), null_meaning: onlyOutside(family) }
    return fieldOf(name, { ...count, ...own }, shared, { op: 'count', radius_m: within_m, ...condition, ...read })
  })
}

type Monitors = Omit<NearestFamily, 'thing'>
type DesignValue = { prefix: string; pollutant: string; value: string; site: string; hints: string } & Pick<
  Field,
  'valid_range'
>

/**
 * The design value of a pollutant at the nearest monitor that has one, with the site of the monitor and its distance.
 * `prefix` starts the names, such as `no2_1hr`; `value` and `site` are attributes.
 */
export function designValue(
  family: Monitors,
  unit: 'ppb' | 'ugm3',
  { prefix, pollutant, value, site, hints, valid_range = [0, 1_000] }: DesignValue,
): Field[] {
  const thing = `monitor with a valid ${pollutant} design value`
  const number = { type: 'float', unit: unit === 'ppb' ? 'ppb' : 'ug/m3', decimals: 1, valid_range } as const
  return nearest(
    { ...family, thing },
    {
      [`${prefix}_design_value_${unit}`]: { attribute: value, of: `${pollutant} design value of`, hints, ...number },
      [`${prefix}_monitor_aqs_site_id`]: {
        attribute: site,
        pattern: '^[0-9]',
        of: 'Site number in the Air Quality System of',
        hints,
      },
      [`${prefix}_monitor_distance_m`]: { distance: true, hints },
    },
  )
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
      return fieldOf(name, { ...yesNo, ...own }, shared, {
        op: 'within',
        ...(read?.attribute === undefined && condition),
        ...read,
      })
    }
    const { attribute, read, ...own } = row
    const null_meaning = nullOr(`The point is in no ${thing}, or its record does not say.`, family)
    return fieldOf(name, { null_meaning, ...own }, shared, {
      op: 'attribute',
      ...(attribute !== undefined && { attribute }),
      ...condition,
      ...order,
      ...read,
    })
  })
}

type AirStandard = { pollutant: string; like: string; hints: string }

/**
 * The status and class of the areas of a pollutant in the Green Book of the EPA. `like` matches the names of the
 * pollutant there.
 */
export function airStandard(family: Family, pollutants: Record<string, AirStandard>): Field[] {
  return Object.entries(pollutants).flatMap(([key, { pollutant, like, hints }]) => {
    const isOf = `pollutant_name LIKE '${like}'`
    const thing = `nonattainment or maintenance area for ${pollutant}`
    return polygonAtPoint(
      { ...family, thing },
      {
        [`air_quality_${key}_status`]: {
          attribute: 'current_status',
          description: `Whether the point is in a nonattainment or a maintenance area for ${pollutant}.`,
          hints,
          enum: ['Nonattainment', 'Maintenance'],
          read: {
            where: `${isOf} AND current_status IN ('Nonattainment', 'Maintenance')`,
            pick: ['current_status rank Nonattainment,Maintenance'],
          },
        },
        [`air_quality_${key}_classification`]: {
          attribute: 'classification',
          pattern: '[a-z]',
          description: `Class of the nonattainment area for ${pollutant} at the point.`,
          hints,
          null_meaning: `The point is in no nonattainment area for ${pollutant}, or the area has no class.`,
          read: { where: `${isOf} AND current_status = 'Nonattainment'`, ...bySeverity },
        },
      },
    )
  })
}

/** The most severe class of several areas. The Green Book divides the severe ozone areas by the years that they have. */
export const bySeverity = {
  pick: ['classification rank Extreme,Severe 17,Severe 15,Severe,Serious,Moderate,Marginal'],
  stand_ins: { 'Severe 15': 'Severe', 'Severe 17': 'Severe' },
}

/** Fields that sample a raster at the point. `none` says what a cell without a value means. */
export function rasterSample(
  family: Family & { none: string; read?: Partial<Args<'sample'>> },
  rows: Record<string, DescribedRow & { read?: Partial<Args<'sample'>> }>,
): Field[] {
  const { none, read: common, ...shared } = family
  return Object.entries(rows).map(([name, { read, ...own }]) =>
    fieldOf(name, { null_meaning: nullOr(none, family), ...own }, shared, {
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
    fieldOf(name, { null_meaning: nullOr(none, family), ...own }, shared, {
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
    fieldOf(name, { null_meaning: nullOr(none, family), ...own }, shared, {
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
    return fieldOf(name, own, shared, { op: 'computed', from, expression, ...standIn })
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

function fieldOf(name: string, row: DescribedRow, family: Family, read: FamilyRead): Field {
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

type PlaceKind = { thing: string; overture: string; osm: string; hints: string; isNamed: boolean }

/**
 * The nearest place of each kind in Overture or, if that does not answer, in OpenStreetMap: its distance and its name.
 * `overture` and `osm` are conditions.
 */
export function nearestPlaces(
  family: Omit<NearestFamily, 'dataset' | 'thing'> & { otherwise: string },
  kinds: Record<string, PlaceKind>,
): Field[] {
  const { otherwise, ...shared } = family
  return Object.entries(kinds).flatMap(([kind, { thing, overture, osm, hints, isNamed }]) => {
    const search = { search_radii_m: family.radii_m, where: osm, dataset: otherwise }
    return nearest(
      { ...shared, dataset: 'overture_places', thing, where: overture },
      {
        [`nearest_${kind}_distance_m`]: {
          distance: true,
          hints,
          read: { fallback: [{ op: 'nearest_distance', ...search }] },
        },
        ...(isNamed && {
          [`nearest_${kind}_name`]: {
            attribute: 'name',
            of: 'Name of',
            hints: `Of the place that nearest_${kind}_distance_m measures to.`,
            read: { fallback: [{ op: 'nearest_attribute', attribute: 'name', ...search }] },
          },
        }),
      },
    )
  })
}

type DistanceRow = { dataset: string; thing: string; hints: string }

/** The distance to the nearest thing of each of several datasets. */
export function nearestDistances(
  family: Omit<NearestFamily, 'dataset' | 'thing'>,
  rows: Record<string, DistanceRow>,
): Field[] {
  return Object.entries(rows).flatMap(([name, { hints, ...own }]) =>
    nearest({ ...family, ...own }, { [name]: { distance: true, hints } }),
  )
}

/**
 * Rows of the capacity that waits in the queue of each region for a connection in the county: by the end of the field's
 * name, the name of the region in the source, and what it is.
 */
export function queuedInRegions(regions: Record<string, [region: string, meaning: string]>, hints: string) {
  return Object.fromEntries(
    Object.entries(regions).map(([name, [region, meaning]]) => [
      `interconnection_queue_active_capacity_${name}_mw`,
      {
        read: { where: `q_status = 'active' AND region = '${region}'` },
        ...float('MW', 2, [0, 1_000_000]),
        description: `Capacity in the county that waits for a connection in the queue of ${meaning}.`,
        hints: `${hints} A county can have requests in two queues.`,
      },
    ]),
  )
}

type Overlap = { dataset: string; thing: string; where?: string }

/** How much of the parcel at the point the features of a kind cover, in acres and as a share. */
export function overlapOfParcel(family: Omit<Family, 'dataset'>, kinds: Record<string, Overlap>): Field[] {
  return Object.entries(kinds).flatMap(([kind, { dataset, thing, where }]) => {
    const shared = { ...family, dataset }
    const common = {
      null_meaning: 'No parcel contains the point, or its outline is not known.',
      derivation: `Area of parcel_boundary_geojson that ${thing} cover, each place once. Outlines from a network source are simplified.`,
    }
    const read = {
      op: 'overlap_area' as const,
      from: { outline: 'parcel_boundary_geojson' },
      ...(where !== undefined && { where }),
    }
    const hints = '0 is an answer: the parcel has none. The provider of parcels may bill the call.'
    return [
      fieldOf(
        `${kind}_acres_on_parcel`,
        { description: `Area of ${thing} on the parcel.`, hints, ...common, ...float('acres', 3, [0, 100_000_000]) },
        shared,
        { ...read, measure: 'acres' },
      ),
      fieldOf(
        `${kind}_fraction_of_parcel`,
        { description: `Share of the parcel that ${thing} cover.`, hints, ...common, ...float('ratio', 4, [0, 1]) },
        shared,
        { ...read, measure: 'share' },
      ),
    ]
  })
}
