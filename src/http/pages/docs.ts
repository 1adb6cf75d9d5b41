import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import { defineOperations } from '../request/operation.ts'
import { createAssetHandler } from './assets.ts'
import { brandSvg, faviconHref } from './page-style.ts'

const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const docsOperations = defineOperations('Documentation', {
  'GET /v1/docs': {
    scope: null,
    summary: 'API reference',
    description: 'This page. Everything is served from the executable; nothing is loaded from other servers.',
    responses: { 200: Type.String() },
    media: { 200: 'text/html' },
  },
})

export const docsRoutes = () => {
  const serveAsset = createAssetHandler('public, max-age=86400')
  return new Elysia()
    .get('/v1/docs', () => textResponse(docsHtml, 'text/html; charset=utf-8'))
    .get('/v1/docs/start.js', () => textResponse(docsScript, 'text/javascript; charset=utf-8'))
    .get('/v1/docs/page.css', () => textResponse(docsStyle, 'text/css; charset=utf-8'))
    .get('/v1/docs/swagger-ui.css', ({ request }) => serveAsset(request, 'swagger-ui.css'))
    .get('/v1/docs/swagger-ui-bundle.js', ({ request }) => serveAsset(request, 'swagger-ui-bundle.js'))
}

function textResponse(body: string, type: string): Response {
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-security-policy': docsPolicy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    },
  })
}

/** The header of the other pages. `dark-mode` is the class of Swagger UI's own dark colors. */
const docsStyle = `body{margin:0;background:#fff;color:#1d2120}.head{display:flex;justify-content:space-between;align-items:center;gap:1rem;height:3rem;padding:0 1rem;border-bottom:1px solid #dadbd5;font:.9375rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif}
.head a{display:inline-flex;align-items:center;gap:8px;color:#535b58;text-decoration:none}.head>a{color:#1d2120;font-weight:650;letter-spacing:-.01em}.head a:hover{color:#0a675f}.head .links{display:flex;gap:1rem}.brand{fill:#0a675f}#docs>p{padding:1rem}
.swagger-ui .opblock.opblock-post .opblock-summary-method{background:#0d7a4c}.swagger-ui .opblock.opblock-get .opblock-summary-method{background:#1d5fa6}.swagger-ui .opblock.opblock-delete .opblock-summary-method{background:#a4331d}.swagger-ui .info .title small{background:#535b58!important}.swagger-ui .info a{color:#0a675f}.swagger-ui .btn.authorize{color:#0d7a4c;border-color:#0d7a4c}.swagger-ui .btn.authorize svg{fill:#0d7a4c}.swagger-ui .btn.execute{background:#0a675f;border-color:#0a675f}.swagger-ui .btn.cancel{color:#a4331d;border-color:#a4331d}.swagger-ui .download-contents{background:#535b58}
.dark-mode body{background:#131615;color:#e7eae8}.dark-mode .head{border-bottom-color:#303634}.dark-mode .head a{color:#a5aeaa}.dark-mode .head>a{color:#e7eae8}.dark-mode .head a:hover,.dark-mode .swagger-ui .info a{color:#63c7ba}.dark-mode .brand{fill:#63c7ba}.dark-mode .swagger-ui .btn.authorize{color:#63c7ba;border-color:#63c7ba}.dark-mode .swagger-ui .btn.authorize svg{fill:#63c7ba}.dark-mode .swagger-ui .btn.cancel{color:#f0937c;border-color:#f0937c}`

/** The page before its scripts run. Swagger UI adds its own <main>. */
const docsHtml = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Fieldstone API reference</title>
    <link rel="icon" href="${faviconHref}">
    <link rel="stylesheet" href="/v1/docs/swagger-ui.css">
    <link rel="stylesheet" href="/v1/docs/page.css">
  </head>
  <body>
    <header class="head"><a href="/">${brandSvg}Fieldstone</a><span class="links"><a href="/guide">Guide</a><a href="/v1/openapi.json">openapi.json</a></span></header>
    <div id="docs"><p>This page needs JavaScript. The OpenAPI document is at <a href="/v1/openapi.json">/v1/openapi.json</a>.</p></div>
    <script src="/v1/docs/swagger-ui-bundle.js"></script>
    <script type="module" src="/v1/docs/start.js"></script>
  </body>
</html>
`

/** Replaces `servers` with the origin of the page. The policy allows no other, and base_url may differ. */
const docsScript = `const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
applyScheme()
dark.addEventListener('change', applyScheme)
const description = await (await fetch('/v1/openapi.json')).json()
// Swagger UI nests a link in a button, which is not accessible. The button alone does the same.
const plainPaths = () => ({ wrapComponents: { DeepLink: (Link, { React }) => (it) => it.path.includes('/') ? React.createElement('span', {}, it.text) : React.createElement(Link, it) } })
// Swagger UI resolves references by a walk over the whole document, which takes a second. Here each is resolved once.
const resolved = new Map()
const resolvedOnce = (name) => resolved.get(name) ?? resolved.set(name, withoutReferences(description.components.schemas[name])).get(name)
const withoutReferences = (it) => Array.isArray(it) ? it.map(withoutReferences) : typeof it !== 'object' || it === null ? it : typeof it.$ref === 'string' ? resolvedOnce(it.$ref.split('/').pop()) : Object.fromEntries(Object.entries(it).map(([name, part]) => [name, withoutReferences(part)]))
// Without the schemas, which the operations show.
const { securitySchemes } = description.components
const spec = { ...description, paths: withoutReferences(description.paths), components: { securitySchemes }, servers: [{ url: location.origin }] }
const resolve = (_, { specActions }) => (path) => specActions.updateResolvedSubtree(path, path.reduce((part, name) => part?.[name], spec))
const noReferences = { statePlugins: { spec: { wrapActions: { requestResolvedSubtree: resolve } } } }
SwaggerUIBundle({ spec, dom_id: '#docs', deepLinking: true, validatorUrl: null, tryItOutEnabled: true, syntaxHighlight: { theme: 'tomorrow-night' }, plugins: [plainPaths, noReferences] })
const names = { '#servers': 'Server', '.examples-select-element': 'Example', 'textarea.body-param__text': 'Request body', 'select.content-type': 'Media type' }
const name = () => {
  for (const [which, words] of Object.entries(names)) for (const it of document.querySelectorAll(which + ':not([aria-label])')) it.setAttribute('aria-label', words)
  // After the title, Swagger UI skips the second level of headings.
  for (const it of document.querySelectorAll('#docs :is(h3, h4, h5):not([aria-level])')) it.setAttribute('aria-level', String(Number(it.localName[1]) - 1))
  // These two parts stand outside of the main part.
  for (const [which, words] of Object.entries({ '.information-container': 'About this API', '.schemes-server-container': 'Server' })) for (const it of document.querySelectorAll(which + ':not([role])')) { it.setAttribute('role', 'region'); it.setAttribute('aria-label', words) }
  // Scrollable blocks must be reachable by keyboard.
  for (const it of document.querySelectorAll('pre.microlight:not([tabindex])')) it.setAttribute('tabindex', '0')
}
new MutationObserver(name).observe(document.querySelector('#docs'), { childList: true, subtree: true })
`
