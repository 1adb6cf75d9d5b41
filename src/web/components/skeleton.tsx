/** A loading placeholder that reserves space, so that the page does not jump when the content arrives. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading…</span>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="skeleton__line" />
      ))}
    </div>
  )
}
