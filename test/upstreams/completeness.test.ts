import { expect, test } from 'bun:test'
import { datasets, fields } from '../../catalog/contents.ts'
import type { Dataset, ReadSpec } from '../../src/catalog/records.ts'
import { compileJsonPath } from '../../src/model/json-path.ts'
import { distanceToShape_m } from './arcgis-geometry.ts'
import { requestOfOption } from './documents/catalog-requests.ts'
import { answerText, sendToServices } from './documents/send-request.ts'
import { documentServices } from './documents.ts'
import { simulatedLayers } from './layers/layers.ts'
import type { SimulatedLayer } from './layers/layer.ts'
import { rasterServices } from './rasters.ts'
import { tables } from './tables.ts'
import { testPlaces } from './test-places.ts'

const services = [...documentServices, ...rasterServices, ...tables]

/** All reads of the catalog by dataset, including fallbacks and inputs of computed fields. */
const reads = Map.groupBy(
  fields.flatMap(({ read }) => everyRead(read)),
  ({ dataset }) => dataset,
)
const requested = Object.entries(datasets).flatMap(([id, dataset]) =>
  waysOf(dataset).map((layersOfWay) => ({ id, dataset, urls: layersOfWay, reads: reads.get(id) ?? [] })),
)

/** The one place in California is protected by its town, so only the layer of local land has it. */
const nowhere = ['calfire_fhsz_sra']

/** Datasets with a value everywhere in the country. */
const everywhere = [
  'census_tigerweb_states',
  'census_tigerweb_counties',
  'census_tigerweb_tracts',
  'census_tigerweb_block_groups',
  'census_tigerweb_blocks_2020',
]

test('every ArcGIS layer of the catalog has a simulated service', () => {
  expect(requested.length).toBeGreaterThan(70)
  expect(
    requested.flatMap(({ id, urls }) => urls.filter((url) => !layerAt(url)).map((url) => `${id}: ${url}`)),
  ).toEqual([])
})

test('every attribute that the catalog names exists on its layer', () => {
  const lost = requested.flatMap(({ id, dataset, urls, reads: own }) => {
    const names = new Set([
      ...(dataset.attributes ?? []),
      ...(dataset.distinct ? [dataset.distinct] : []),
      ...namesInWhere(dataset.filter),
      ...own.flatMap(namesOf),
    ])
    return urls.flatMap((url) =>
      [...names]
        .filter((name) => !setBy(dataset).includes(name) && !columnNames(layerAt(url)).includes(name.toLowerCase()))
        .map((name) => `${id}: ${name} at ${url}`),
    )
  })
  expect(lost).toEqual([])
})

test('every attribute of a field has a value somewhere', () => {
  const empty = requested.flatMap(({ id, dataset, urls, reads: own }) =>
    own
      .flatMap(namesOf)
      .filter(
        (name) =>
          !setBy(dataset).includes(name) &&
          !urls.some((url) => valuesOf(layerAt(url), name).some((value) => value !== null)),
      )
      .map((name) => `${id}: ${name}`),
  )
  expect(empty).toEqual([])
})

test('every dataset has a value at one place, and none at another', () => {
  const same = requested
    .filter(({ id }) => !everywhere.includes(id) && !nowhere.includes(id))
    .flatMap(({ id, urls, reads: own }) => {
      const radius_m = Math.max(0, ...own.map(radiusOf))
      const found = Object.values(testPlaces).map(({ lat, lng }) =>
        urls.some((url) => layerAt(url)?.rows.some(({ shape }) => distanceToShape_m([lng, lat], shape) <= radius_m)),
      )
      return found.includes(true) && found.includes(false)
        ? []
        : [`${id}: ${found.filter(Boolean).length} of ${found.length} places within ${radius_m} m`]
    })
  expect(same).toEqual([])
})

test('the simulated services know the request of every option that uses the own format of a publisher', async () => {
  const unknown: string[] = []
  for (const [id, dataset] of Object.entries(datasets)) {
    for (const way of dataset.serve) {
      const requested = requestOfOption(way)
      const said = requested && (await sendToServices(services, requested.url, requested.question))
      if (requested && (!said || (said.status ?? 200) >= 400))
        unknown.push(`${id} ${way.driver} ${said?.status ?? 'unknown'} ${requested.url}`)
    }
  }
  expect(unknown).toEqual([])
})

test('the JSON path of every field finds a value at one of the places', async () => {
  const lost: string[] = []
  for (const read of fields.flatMap((field) => everyRead(field.read))) {
    const way = datasets[read.dataset]!.serve.find((one) => one.driver === 'rest')
    const requested = way && requestOfOption(way)
    if (read.op !== 'path' || !requested) continue
    const found = compileJsonPath(read.json_path)(
      JSON.parse(answerText(await sendToServices(services, requested.url, requested.question))),
    )
    if (!found?.some((value) => value !== null && value !== undefined)) lost.push(`${read.dataset} ${read.json_path}`)
  }
  // Boulder has no synthetic reservation and no alert, and its parcel has the key in the other of two members.
  const known = /Reservations|^nws_alerts|fields\.ll_uuid$/
  expect(lost.filter((one) => !known.test(one))).toEqual([])
})

function everyRead(read: ReadSpec): ReadSpec[] {
  const inner = Object.values(read.from ?? {}).filter((it): it is ReadSpec => typeof it !== 'string')
  return [read, ...[...inner, ...(read.fallback ?? [])].flatMap(everyRead)]
}

/** Returns the layer URLs of all ArcGIS options of a dataset. */
function waysOf({ serve, levels }: Dataset): string[][] {
  return serve.flatMap((way) => {
    if (way.driver !== 'arcgis') return []
    const endpoints = way.endpoint.includes('{level}')
      ? (levels ?? []).map((level) => way.endpoint.replace('{level}', String(level)))
      : [way.endpoint]
    return [
      endpoints.flatMap(
        (endpoint) => way.layers?.map((layer) => `${endpoint}/${layer}`) ?? [namedSibling(endpoint, way.layer_name)],
      ),
    ]
  })
}

/** The attributes that the options of a dataset add to its features. */
function setBy({ serve }: Dataset): string[] {
  return serve.flatMap((way) => (way.driver === 'arcgis' ? (way.set ?? []).flatMap(Object.keys) : []))
}

/** Returns the URL of the named layer in a service, or the URL itself without a name. */
function namedSibling(endpoint: string, name: string | undefined): string {
  if (name === undefined) return endpoint
  const siblings = simulatedLayers.filter(
    (layer) =>
      urlOf(layer).replace(/\d+$/, '') === endpoint.replace(/\d+$/, '') && new RegExp(name, 'i').test(layer.name),
  )
  return siblings.length === 1 ? urlOf(siblings[0]!) : `${endpoint}, one layer named ${name}`
}

function urlOf({ host, service, id }: SimulatedLayer): string {
  return `https://${host}${service}/${id}`
}

function layerAt(url: string): SimulatedLayer | undefined {
  return simulatedLayers.find((layer) => urlOf(layer) === url)
}

/** Names are matched ignoring case, after the last dot. */
function columnNames(layer: SimulatedLayer | undefined): string[] {
  return (layer?.columns ?? []).map(({ name }) => bare(name))
}

function bare(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

function valuesOf(layer: SimulatedLayer | undefined, name: string) {
  return (layer?.rows ?? []).flatMap(({ cells }) =>
    Object.entries(cells).flatMap(([column, value]) => (bare(column) === name.toLowerCase() ? [value] : [])),
  )
}

function namesOf(read: ReadSpec): string[] {
  const args: Record<string, unknown> = { ...read }
  const text = (name: string) => [args[name]].flat().filter((it) => typeof it === 'string')
  const picks = Array.isArray(args.pick)
    ? args.pick.map((pick) => String(pick).split(' ')[0]!).filter((name) => name !== 'area')
    : []
  const formula = read.op === 'attribute' ? text('expression').flatMap(namesInFormula) : []
  return [
    ...text('attribute'),
    ...text('distinct'),
    ...text('unit_from'),
    ...text('attribute_on_service'),
    ...text('where').flatMap(namesInWhere),
    ...(read.op.startsWith('nearest') || read.op === 'aggregate' ? text('expression').flatMap(namesInFormula) : []),
    ...picks,
    ...Object.keys((args.null_when as object | undefined) ?? {}),
    ...formula,
  ]
}

function namesInFormula(text: string): string[] {
  const words = text.replaceAll(/'[^']*'/g, '').match(/[A-Za-z_]\w*/g) ?? []
  return words.filter((word) => word !== 'null')
}

function namesInWhere(where: string | undefined): string[] {
  const words = where?.replaceAll(/'[^']*'|\{[^}]*\}/g, '').match(/[A-Za-z_]\w*/g) ?? []
  return words.filter(
    (word) => !['AND', 'OR', 'NOT', 'IN', 'LIKE', 'IS', 'NULL', 'BETWEEN'].includes(word.toUpperCase()),
  )
}

function radiusOf(read: ReadSpec): number {
  const args: Record<string, unknown> = { ...read }
  const radii = Array.isArray(args.search_radii_m) ? args.search_radii_m : []
  return Math.max(0, ...[args.radius_m, ...radii].filter((radius): radius is number => typeof radius === 'number'))
}
