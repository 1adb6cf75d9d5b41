import * as contents from '../catalog/contents.ts'
import { sourcesTable } from './sources/table.ts'

/** Writes the table of all datasets into the README, between its two marks. `npm run sources`. */
const file = Bun.file(`${import.meta.dir}/../README.md`)
const readme = await file.text()
const [before, after] = [readme.split('<!-- sources -->')[0], readme.split('<!-- /sources -->')[1]]
if (before === undefined || after === undefined) throw new Error('README.md has lost its marks <!-- sources --> and <!-- /sources -->.')
await Bun.write(file, `${before}<!-- sources -->\n${sourcesTable(contents)}\n<!-- /sources -->${after}`)
