import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { CreatedShare, ShareList, type ShareLink } from '../../auth/account-document.ts'
import {
  shareLifetimeDefault_days,
  shareLifetimeMax_days,
  sharesMax,
  type ShareRequest as NewShareRequest,
} from '../../auth/shares.ts'
import { ApiError } from '../../model/error.ts'
import { formatTimestamp } from '../../model/text.ts'
import { isFinalStatus } from '../../store/runs/runs.ts'
import type { StoredShare } from '../../store/accounts/shares.ts'
import { accountOf, requireScope } from '../request/guard.ts'
import { createBodyReader, type BodyRule } from '../request/json-body.ts'
import { defineOperations, selectionErrorCodes } from '../request/operation.ts'
import { createReport } from '../report/report.ts'
import { createViolation } from '../request/violations.ts'

const queryMax_characters = 4000
/** A report of all fields of two places has about a tenth of this. */
const documentMax_bytes = 4 * 1024 * 1024

const ShareBody = Type.Object({
  run_id: Type.Optional(Type.String({ description: 'A finished run. The link shows its results.' })),
  report: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: queryMax_characters,
      description:
        'The query of `GET /report`, such as `at=39.7392,-104.9903&preset=flood_risk`. The report is made now, and the link shows it unchanged.',
    }),
  ),
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: shareLifetimeMax_days,
      description: `Lifetime in days, 1 to ${shareLifetimeMax_days}. Default ${shareLifetimeDefault_days}. The link of a run ends with the run at the latest.`,
    }),
  ),
})

const path = '/v1/users/me/shares'
export const shareOperations = defineOperations('Account', {
  [`GET ${path}`]: {
    scope: 'fetch',
    limits: 'minute',
    summary: 'List read-only links',
    description: 'Your active links, newest first. The URL of a link is not stored.',
    responses: { 200: ShareList },
  },
  [`POST ${path}`]: {
    scope: 'fetch',
    writes: true,
    summary: 'Create a read-only link',
    description: `Creates a link to a report, or to a run (also needs the scope \`runs\`). Everyone who has the URL can read it without an account, and can read nothing else. The response shows the URL once. A link that was created with a token ends with the token. An account can have ${sharesMax} active links.`,
    body: ShareBody,
    examples: { report: { report: 'at=39.7392,-104.9903&preset=place_context', expires_in_days: 7 } },
    responses: { 201: CreatedShare },
    errorCodes: [
      'run_not_found',
      'run_not_ready',
      'share_limit_reached',
      'coord_out_of_bounds',
      ...selectionErrorCodes,
    ],
  },
  [`DELETE ${path}/{share_id}`]: {
    scope: 'fetch',
    limits: 'none',
    writes: true,
    summary: 'Revoke a read-only link',
    description: 'Ends the link with immediate effect.',
    path: { share_id: 'The id of the link.' },
    responses: { 204: null },
    errorCodes: ['share_not_found'],
  },
})

const requireOneContent: BodyRule = (body) =>
  (body.run_id === undefined) === (body.report === undefined)
    ? [createViolation('value_error', ['body'], 'Value error, give either run_id or report', body)]
    : []
const readShareBody = createBodyReader(ShareBody, requireOneContent)

export const shareRoutes = (app: App) =>
  new Elysia()
    .get(path, async ({ request }) => {
      const shares = await app.access.shares.list(accountOf(request))
      return { items: shares.map(shareItemOf), next_cursor: null }
    })
    .post(path, async ({ request, set }) => {
      const { run_id, report, expires_in_days: days = shareLifetimeDefault_days } = await readShareBody(request)
      const content =
        run_id === undefined ? await reportContent(request, report!, app) : await runContent(request, run_id, app)
      const { share, secret } = await app.access.shares.create(accountOf(request), { ...content, days })
      set.status = 201
      set.headers['cache-control'] = 'no-store'
      return { ...shareItemOf(share), url: `${app.config.base_url}/shared/${secret}` }
    })
    .delete(`${path}/:share_id`, async ({ request, params: { share_id } }) => {
      await app.access.shares.revoke(accountOf(request), share_id)
      return new Response(null, { status: 204 })
    })

type ShareContent = Omit<NewShareRequest, 'days'>

async function runContent(request: Request, run_id: string, { runs }: App): Promise<ShareContent> {
  requireScope(request, 'runs')
  const run = await runs.find(accountOf(request), run_id)
  if (!isFinalStatus(run.status))
    throw new ApiError('run_not_ready', `This run is ${run.status}. It can be shared once it has ended.`, {
      status: run.status,
    })
  return {
    title: run.name ?? `Run of ${run.total} locations`,
    content: { kind: 'run', run_id },
    latestExpiry: run.expires_at,
  }
}

async function reportContent(request: Request, query: string, app: App): Promise<ShareContent> {
  requireScope(request, 'fetch')
  const account = accountOf(request)
  const { title, document } = await createReport(new URLSearchParams(query), { app, account }, request.signal)
  const bytes = new TextEncoder().encode(document)
  if (bytes.length > documentMax_bytes)
    throw new ApiError('fields_too_many', 'This report is too large for a link. Select fewer fields.')
  return { title, content: { kind: 'report', document: Bun.gzipSync(bytes) } }
}

function shareItemOf({ id, kind, title, run_id, created_at, expires_at }: StoredShare): ShareLink {
  return {
    id,
    kind,
    title,
    run_id,
    created_at: formatTimestamp(created_at),
    expires_at: formatTimestamp(expires_at),
  }
}
