import { expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as contents from '../../catalog/contents.ts'
import type { OverlayFile } from '../../src/catalog/overlay-folder.ts'
import { createCatalogState } from '../../src/fetch/catalog/catalog-state.ts'
import { createLog } from '../../src/log.ts'
import { openTestService } from '../support/test-service.ts'

test('a changed file is checked in several turns, in which the earlier catalog answers', async () => {
  const service = openTestService()
  const { registry } = service.app.snapshot()
  const files: OverlayFile[] = []
  const changes = [true, true, false]
  const state = createCatalogState(
    contents,
    { hasChanged: () => changes.shift()!, readFiles: () => files },
    { buildRegistry: () => registry, onCatalogOpened: () => {}, log: createLog('error', () => {}), fieldsMax: 50 },
  )
  const earlier = state.snapshot()
  files.push({ file: 'a.json', text: JSON.stringify({ synonyms: { 'high ground': ['elevation'] } }) })
  state.refresh()
  let turns = 0
  for (; state.snapshot() === earlier; turns++) await nextTurn()
  expect(turns).toBeGreaterThan(1)
  expect(state.snapshot().catalog.synonyms.get('high ground')).toEqual(['elevation'])
  await service.close()
})
