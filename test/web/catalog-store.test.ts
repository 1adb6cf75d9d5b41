import { expect, test } from 'bun:test'
import type { CatalogDocument } from '../../src/catalog/catalog-document.ts'
import { catalogDocumentOf } from '../../src/fetch/catalog/describe-catalog.ts'
import { withoutFailing } from '../../src/web/catalog-store.ts'
import { openTestService } from '../support/test-service.ts'

test('a field whose sources all fail is not counted as answered, in the catalog and in its presets', async () => {
  const service = openTestService()
  const catalog: CatalogDocument = catalogDocumentOf(service.app.snapshot())
  const now = withoutFailing(catalog, new Set(['county', 'geohash']))
  expect(now.answered_now).toBe(catalog.answered_now - 2)
  expect(now.fields.find(({ name }) => name === 'county')!.providers).toEqual([])
  expect(now.preset_details.place_context!.answered_now).toBe(catalog.preset_details.place_context!.answered_now - 2)
  expect(withoutFailing(catalog, new Set())).toBe(catalog)
  await service.close()
})
