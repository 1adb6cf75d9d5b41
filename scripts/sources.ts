/** Writes the generated parts of the guide between their marks. `npm run sources`. */
import { join } from 'node:path'
import { between } from './sources/marked-section.ts'
import { guideTables } from './sources/guide-tables.ts'

const root = join(import.meta.dir, '..')
for (const { page, mark, text } of guideTables()) await replace(join('src', 'web', 'guide', `${page}.md`), mark, text)

async function replace(path: string, mark: string, text: string) {
  const file = Bun.file(join(root, path))
  await Bun.write(file, between(await file.text(), mark, text))
}
