import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import { operation, type Operations } from './operation.ts'
import { brand } from './page-style.ts'

const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The head of the other pages, in their colours; what is below it is light alone, and so is this. */
const frame = `body{margin:0;background:#fff;color:#1d2120}.head{display:flex;justify-content:space-between;align-items:center;gap:1rem;height:3rem;padding:0 1rem;border-bottom:1px solid #dadbd5;font:.9375rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif}
.head a{display:inline-flex;align-items:center;gap:8px;color:#535b58;text-decoration:none}.head a:first-child{color:#1d2120;font-weight:650;letter-spacing:-.01em}.head a:hover{color:#0a675f}.brand{fill:#0a675f}#docs>p{padding:1rem}
.swagger-ui .opblock.opblock-post .opblock-summary-method{background:#0d7a4c}.swagger-ui .opblock.opblock-get .opblock-summary-method{background:#1d5fa6}.swagger-ui .opblock.opblock-delete .opblock-summary-method{background:#a4331d}.swagger-ui .info .title small{background:#535b58!important}.swagger-ui .info a{color:#0a675f}.swagger-ui .btn.authorize{color:#0d7a4c;border-color:#0d7a4c}.swagger-ui .btn.authorize svg{fill:#0d7a4c}`

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Fieldstone: the interface</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/v1/docs/swagger-ui.css">
    <style>${frame}</style>
  </head>
  <body>
    <header class="head"><a href="/">${brand}Fieldstone</a><a href="/v1/openapi.json">openapi.json</a></header>
    <main id="docs"><p>The description of the interface is at <a href="/v1/openapi.json">/v1/openapi.json</a>; this page shows it when scripts are on.</p></main>
    <script src="/v1/docs/swagger-ui-bundle.js"></script>
    <script type="module" src="/v1/docs/start.js"></script>
  </body>
</html>
`

/** Asks the server by the name it was opened under: the policy allows no other, and that need not be the one of `servers`. */
const start = `const description = await (await fetch('/v1/openapi.json')).json()
SwaggerUIBundle({ spec: { ...description, servers: [{ url: location.origin }] }, dom_id: '#docs', deepLinking: true, validatorUrl: null, tryItOutEnabled: true })
`

export const docsOperations: Operations = {
  'GET /v1/docs': operation({
    tag: 'Documentation', scope: null, summary: 'This page', description: 'Served from the executable: nothing is loaded from elsewhere.',
    answers: { 200: Type.String() }, media: { 200: 'text/html' },
  }),
}

export const docsRoutes = () =>
  new Elysia()
    .get('/v1/docs', () => text(page, 'text/html; charset=utf-8'))
    .get('/v1/docs/start.js', () => text(start, 'text/javascript; charset=utf-8'))
    .get('/v1/docs/swagger-ui.css', () => asset(style, 'text/css; charset=utf-8'))
    .get('/v1/docs/swagger-ui-bundle.js', () => asset(script, 'text/javascript; charset=utf-8'))

function text(body: string, type: string): Response {
  return new Response(body, { headers: { 'content-type': type, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' } })
}

function asset(path: string, type: string): Response {
  return new Response(Bun.file(path), { headers: { 'content-type': type, 'cache-control': 'public, max-age=86400' } })
}
