import { isDeepStrictEqual } from 'node:util'
import * as contents from '../../catalog/contents.ts'
import { BuildError } from './build-error.ts'

/** Puts the catalog into the executable as JSON: parsing it takes less time than running the code of its literals. */
export const catalogContentsPlugin: Bun.BunPlugin = {
  name: 'catalog-contents',
  setup(build) {
    build.onLoad({ filter: /catalog[\\/]contents\.ts$/ }, () => {
      const text = JSON.stringify(contents)
      if (!isDeepStrictEqual(JSON.parse(text), { ...contents }))
        throw new BuildError('The catalog has a value that JSON cannot hold, such as undefined or Infinity.')
      const names = Object.keys(contents).join(',')
      return { loader: 'js', contents: `export const {${names}} = JSON.parse(${JSON.stringify(text)})` }
    })
  },
}
