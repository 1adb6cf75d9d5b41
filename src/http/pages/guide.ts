import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import type { GuidePage } from '../../web/guide/pages.ts'
import { assetFolder } from './assets.ts'
import {
  guideContentsHtml,
  guideHeaders,
  guideNotFoundHtml,
  guidePageHtml,
  guideSearchHtml,
  type GuidePages,
} from './guide-page.ts'
import { createGuideSearch } from './guide-search.ts'
import { hasEtag } from './static-body.ts'

const markdownHeaders = { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-cache' }

/** The guide: pages as HTML and as Markdown, and a search that needs no script. Open without a token. */
export const guideRoutes = () => {
  let guide: Guide | undefined
  const openedGuide = () => (guide ??= openGuide())
  return new Elysia()
    .get('/guide', ({ request }) => {
      const { pages, search } = openedGuide()
      const query = (new URL(request.url).searchParams.get('q') ?? '').trim()
      const body = query === '' ? guideContentsHtml(pages) : guideSearchHtml(query, search(query), pages)
      return conditionalResponse(request, body, guideHeaders)
    })
    .get('/guide/:page', ({ request, params: { page: name } }) => {
      const { pages } = openedGuide()
      const page = pages.get(name)
      if (page) return conditionalResponse(request, guidePageHtml(page, pages), guideHeaders)
      const source = name.endsWith('.md') ? pages.get(name.slice(0, -'.md'.length)) : undefined
      if (source) return conditionalResponse(request, source.markdown, markdownHeaders)
      return pageNotFound()
    })
    .get('/guide/*', () => pageNotFound())

  function pageNotFound(): Response {
    return new Response(guideNotFoundHtml(openedGuide().pages), { status: 404, headers: guideHeaders })
  }
}

type Guide = { pages: GuidePages; search: ReturnType<typeof createGuideSearch> }

/** Reads the guide for the first request of a page. */
function openGuide(): Guide {
  const pages = readGuide()
  return { pages: new Map(pages.map((page) => [page.name, page])), search: createGuideSearch(pages) }
}

/** The pages that the build wrote; none on a server that was started from source before a build. */
function readGuide(): GuidePage[] {
  const file = join(assetFolder, 'guide.zst')
  if (!existsSync(file)) return []
  return JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(readFileSync(file)))) as GuidePage[]
}

/** The body, or 304 when the client has it. */
function conditionalResponse(request: Request, body: string, headers: Record<string, string>): Response {
  const etag = `"${Bun.hash(body).toString(36)}"`
  const response = { ...headers, etag }
  return hasEtag(request.headers, [etag])
    ? new Response(null, { status: 304, headers: response })
    : new Response(body, { headers: response })
}
