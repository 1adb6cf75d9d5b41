import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { computeOnce } from '../../async/compute-once.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { fieldTitleOf } from '../../catalog/field-title.ts'
import type { Dataset, Field } from '../../catalog/records.ts'
import { ucumCodeOf } from '../../ogc/ucum.ts'
import { defineOperations } from '../request/operation.ts'
import { createStaticBody, staticResponse } from '../pages/static-body.ts'

const mediaType = 'application/ld+json'

export const linkedDataOperations = defineOperations('Catalog', {
  'GET /catalog.jsonld': {
    scope: null,
    summary: 'The catalog as linked data',
    description:
      'JSON-LD with the terms of schema.org and DCAT: the datasets with publisher and license, and the fields as their variables. The id of a field is this address with `#` and its name.',
    headers: { 'If-None-Match': 'The ETag of your copy.' },
    responses: { 200: Type.Object({}, { additionalProperties: true }), 304: null },
    media: { 200: mediaType },
  },
})

export const linkedDataRoutes = (app: App) => {
  const currentBody = computeOnce(app.snapshot, ({ catalog }) =>
    createStaticBody(linkedDataOf(catalog, app.config.base_url)),
  )
  return new Elysia().get('/catalog.jsonld', ({ request }) => staticResponse(currentBody(), request, mediaType))
}

/** Terms without a prefix are those of schema.org. */
const context = {
  '@vocab': 'https://schema.org/',
  dcat: 'http://www.w3.org/ns/dcat#',
  url: { '@type': '@id' },
}

/** Returns the catalog as a graph of its datasets and fields. */
function linkedDataOf({ datasets, fields, version, released }: Catalog, base_url: string) {
  const id = `${base_url}/catalog.jsonld`
  const fieldsByDataset = Map.groupBy(fields.values(), ({ read }) => read.dataset)
  const described = [...datasets].filter(([name]) => fieldsByDataset.has(name))
  return {
    '@context': context,
    '@graph': [
      {
        '@id': id,
        '@type': ['DataCatalog', 'dcat:Catalog'],
        name: 'Fieldstone',
        description: 'Named fields for any US coordinate, each with its value, status, unit, source and vintage.',
        version,
        dateModified: released,
        url: `${base_url}/catalog`,
        dataset: described.map(([name]) => ({ '@id': `${id}#dataset-${name}` })),
      },
      ...described.map(([name, dataset]) => datasetNode(name, dataset, fieldsByDataset.get(name)!, id)),
      ...[...fields.values()].map((field) => fieldNode(field, id, base_url)),
    ],
  }
}

function datasetNode(name: string, dataset: Dataset, fields: Field[], id: string) {
  const { title, publisher, license, attribution, source_url, vintage, coverage } = dataset
  return {
    '@id': `${id}#dataset-${name}`,
    '@type': ['Dataset', 'dcat:Dataset'],
    identifier: name,
    name: title,
    description: `${title}, from ${publisher}.`,
    publisher: { '@type': 'Organization', name: publisher },
    // The catalog has the license as text, and schema.org takes a license only as a URL or a work.
    usageInfo: { '@type': 'CreativeWork', name: license },
    ...(attribution !== undefined && { creditText: attribution }),
    url: source_url,
    ...(vintage !== undefined && { version: vintage }),
    spatialCoverage: coverage.regions === 'everywhere' ? 'United States and adjacent sea' : coverage.regions,
    includedInDataCatalog: { '@id': id },
    variableMeasured: fields.map((field) => ({ '@id': `${id}#${field.name}` })),
  }
}

function fieldNode(field: Field, id: string, base_url: string) {
  const { name, description, unit, derivation, valid_range } = field
  const [min, max] = valid_range ?? [null, null]
  const unitCode = unit === null ? undefined : ucumCodeOf(unit)
  return {
    '@id': `${id}#${name}`,
    '@type': 'PropertyValue',
    propertyID: name,
    name: fieldTitleOf(field),
    description,
    url: `${base_url}/catalog/${name}`,
    ...(unit !== null && { unitText: unit }),
    ...(unitCode !== undefined && { unitCode }),
    ...(min !== null && { minValue: min }),
    ...(max !== null && { maxValue: max }),
    ...(derivation !== null && { measurementTechnique: derivation }),
  }
}
