import type { AskTrace } from '../../ask/answer/ask-answer.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { numberText } from '../value-text.ts'

/** Details on how an answer was produced. */
export function AskTraceDetails({ trace }: { trace: AskTrace }) {
  const { planner_model, synthesizer_model, planner_reasoning, fields_requested, preset_expanded, latency_ms } = trace
  return (
    <details class="ask-trace">
      <summary>How this answer was produced</summary>
      <dl class="facts">
        <dt>Fields chosen by</dt>
        <dd>
          {modelLabel(planner_model)}, in {durationText(latency_ms.planner_ms)}
        </dd>
        <dt>Reasoning</dt>
        <dd>{planner_reasoning}</dd>
        {preset_expanded !== null && (
          <>
            <dt>Preset</dt>
            <dd>{humanizeName(preset_expanded)}</dd>
          </>
        )}
        <dt>Fields</dt>
        <dd>
          {fields_requested.length === 0
            ? 'none'
            : fields_requested.map((name, i) => (
                <span key={name}>
                  {i > 0 && ', '}
                  <code>{name}</code>
                </span>
              ))}
        </dd>
        <dt>Fetched</dt>
        <dd>in {durationText(latency_ms.fetch_ms)}</dd>
        <dt>Written by</dt>
        <dd>
          {modelLabel(synthesizer_model)}, in {durationText(latency_ms.synth_ms)}
        </dd>
        <dt>Total</dt>
        <dd>{durationText(latency_ms.total_ms)}</dd>
      </dl>
    </details>
  )
}

function modelLabel(model: string): string {
  return model === 'builtin' ? 'this server (no model)' : model
}

function durationText(ms: number): string {
  return ms < 1000 ? `${numberText(ms)} ms` : `${numberText(Math.round(ms / 100) / 10)} s`
}
