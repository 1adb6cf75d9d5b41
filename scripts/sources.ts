/** Writes the generated tables of the guide between their marks. `npm run sources`. */
import { join } from 'node:path'
import { between } from './sources/marked-section.ts'
import { guideTables } from './sources/guide-tables.ts'

for (const { page, mark, text } of guideTables()) {
  const file = Bun.file(join(import.meta.dir, '..', 'src', 'web', 'guide', `${page}.md`))
  await Bun.write(file, between(await file.text(), mark, text))
}
