import * as contents from '../catalog/contents.ts'
import { settingDescriptions } from '../src/cli/settings.ts'
import { between } from './sources/between.ts'
import { settingsTable } from './sources/settings.ts'
import { sourcesTable } from './sources/table.ts'

/** Writes the tables of all settings and of all datasets into the README, between their marks. `npm run sources`. */
const file = Bun.file(`${import.meta.dir}/../README.md`)
await Bun.write(
  file,
  between(
    between(await file.text(), 'settings', settingsTable(settingDescriptions)),
    'sources',
    sourcesTable(contents),
  ),
)
