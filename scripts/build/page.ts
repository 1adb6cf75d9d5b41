import { join } from 'node:path'
import { referenceFiles } from '../web/build-page.ts'
import { root } from './root.ts'

/** Returns the metafile of the pages. Their packages are also in the executable. */
export async function pageMetafile(): Promise<Bun.BuildMetafile> {
  const built = await Bun.build({
    entrypoints: [
      join(root, 'src', 'web', 'main.tsx'),
      join(root, 'src', 'web', 'style', 'main.css'),
      ...referenceFiles,
    ],
    target: 'browser',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    external: ['made:*'],
  })
  if (!built.success) throw new Error('The dashboard cannot be bundled.')
  return built.metafile!
}
