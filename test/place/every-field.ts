import type { ReadSpec } from '../../src/catalog/records.ts'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import type { Point } from '../../src/model/place.ts'
import { readInputsOf } from '../../src/catalog/read-spec.ts'
import type { TestService } from '../support/test-service.ts'

/** Fetches every field of the catalog at one place, fifty per request. */
export async function everyField({ app, post }: TestService, at: Point): Promise<[string, FieldResult][]> {
  const names = [...app.catalog.fields.keys()]
  const slices = Array.from({ length: Math.ceil(names.length / 50) }, (_, i) => names.slice(50 * i, 50 * i + 50))
  const answers = await Promise.all(
    slices.map(async (fields) => (await post('/v1/fetch', { ...at, fields })).json() as Promise<FetchAnswer>),
  )
  return answers.flatMap(({ fields }) => Object.entries(fields))
}

/** The datasets that a field may use: those of its reads and of its input fields. */
export function datasetsOf(name: string, { app }: TestService): Set<string> {
  const found = new Set<string>()
  const visit = (read: ReadSpec) => {
    found.add(read.dataset)
    const inputs = readInputsOf(read).filter((it) => it !== 'lat' && it !== 'lng')
    for (const it of inputs) visit(typeof it === 'string' ? app.catalog.fields.get(it)!.read : it)
    read.fallback?.forEach(visit)
  }
  visit(app.catalog.fields.get(name)!.read)
  return found
}
