import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { between } from '../../scripts/sources/marked-section.ts'
import { guideTables } from '../../scripts/sources/guide-tables.ts'

const guide = join(import.meta.dir, '..', '..', 'src', 'web', 'guide')

test.each(guideTables().map(({ page, mark, text }) => [page, mark, text] as const))(
  'in the guide page %s, the generated part "%s" is up to date (npm run sources)',
  async (page, mark, text) => {
    const markdown = await Bun.file(join(guide, `${page}.md`)).text()
    expect(markdown).toBe(between(markdown, mark, text))
  },
)
