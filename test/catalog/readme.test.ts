import { expect, test } from 'bun:test'
import { join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import { sourcesTable } from '../../scripts/sources/table.ts'

test('the table of sources in the README is that of the catalog (npm run sources writes it)', async () => {
  const readme = await Bun.file(join(import.meta.dir, '..', '..', 'README.md')).text()
  expect(readme).toContain(`<!-- sources -->\n${sourcesTable(contents)}\n<!-- /sources -->`)
})
