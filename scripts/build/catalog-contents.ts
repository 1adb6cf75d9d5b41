import * as contents from '../../catalog/contents.ts'

/** Puts the catalog into the executable as JSON: parsing it takes less time than running the code of its literals. */
export const catalogContentsPlugin: Bun.BunPlugin = {
  name: 'catalog-contents',
  setup(build) {
    build.onLoad({ filter: /catalog[\\/]contents\.ts$/ }, () => ({
      loader: 'js',
      contents: `export const {${Object.keys(contents).join(',')}} = JSON.parse(${JSON.stringify(JSON.stringify(contents))})`,
    }))
  },
}
