import { join } from 'node:path'
import { root } from './root.ts'

/** What the bundler puts into the dashboard that scripts/web.ts makes: its packages are in the executable too. */
export async function pageMetafile(): Promise<Bun.BuildMetafile> {
  const built = await Bun.build({
    entrypoints: [join(root, 'src', 'web', 'main.tsx'), join(root, 'src', 'web', 'style', 'main.css')],
    target: 'browser',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    external: ['made:*'],
  })
  if (!built.success) throw new Error('The dashboard cannot be bundled.')
  return built.metafile!
}
