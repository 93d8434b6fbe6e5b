/**
 * Restoring a site from off-site backups, for the reader of the set-up address of a new service: where it is and the identity, what is
 * there, and the way back to it. What is given and how far it is outlives the form, which is rebuilt in another language.
 */
import { NetworkError, Unauthorized, type Client } from '../../../client/client.ts'
import type { FirstRestored, FoundSite } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { pause } from '../../timing.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { code, facts, labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { byteSize, dateTime, dateTimeText } from '../../kit/moments.ts'
import { errorText } from '../../kit/states.ts'
import { contentText } from '../operations/restore-dialog.ts'
import type { SiteRestore } from '../sign-in/sign-in-state.ts'

const EXAMPLES = { bucket: 's3://AKID@backups/news?region=eu-central-1', directory: 'file:///mnt/nas/dateline' }
type Sent = NonNullable<SiteRestore['sent']>

/** Between two looks at how far it is. */
const LOOK_MS = 700

export interface FirstRestoreOptions {
  readonly client: Client
  /** Of the set-up address. */
  readonly token: string
  readonly restore: SiteRestore
  readonly signal: AbortSignal
  /** Goes back to becoming the first administrator. */
  readonly leave: () => void
}

export function firstRestoreForm({ client, token, restore, signal, leave }: FirstRestoreOptions): HTMLElement {
  const plain = { autocomplete: 'off', spellcheck: 'false', dir: 'ltr' } as const
  const place = h('input', { ...plain, name: 'place', required: true, value: restore.place })
  const keys = h('input', { ...plain, name: 'keys', type: 'password', autocomplete: 'new-password', value: restore.keys })
  const identity = h('textarea', { ...plain, name: 'identity', required: true, rows: 3, value: restore.identity })
  const file = h('input', { type: 'file', on: { change: () => void takeFile() } })
  const at = h('input', { type: 'datetime-local', name: 'at', value: restore.at })
  const problem = problemLine('restore-problem')
  const outcome = h('div', { role: 'status' })
  const look = h('button', { type: 'submit' }, t('firstRestore.look'))
  const form = submitForm(
    { 'aria-label': t('firstRestore.offer') },
    () => void whileBusy(look, lookThere),
    h('p', { class: 'soft' }, t('firstRestore.text', EXAMPLES)),
    labelled(t('offsite.place'), place),
    labelled(t('setting.offsiteKeys'), keys),
    labelled(t('firstRestore.identity'), identity),
    labelled(t('import.file'), file),
    labelled(t('firstRestore.at'), at),
    problem,
    h('div', { class: 'buttons' }, look, button(t('first.back'), leave, { class: 'plain' })),
  )
  // What was found is not what is given any more.
  form.addEventListener('input', take)
  const element = h('section', { class: 'hint' }, h('h2', {}, t('firstRestore.offer')), form, outcome)
  if (restore.sent !== undefined) void follow(restore.sent)
  return element

  function take(): void {
    fill(outcome)
    Object.assign(restore, { place: place.value.trim(), keys: keys.value, identity: identity.value, at: at.value })
  }

  function given() {
    const { sent: _, at: time, ...source } = restore
    return { token, ...source, at: time === '' ? '' : new Date(time).toISOString() }
  }

  async function takeFile(): Promise<void> {
    const chosen = file.files?.[0]
    if (chosen !== undefined) identity.value = await chosen.text()
    take()
  }

  async function lookThere(): Promise<void> {
    fill(problem)
    fill(outcome)
    const source = given()
    try {
      const found = await client.auth.lookForSite(source, { signal })
      const confirm = button(t('restore.confirm'), () => bringBack(source), { class: 'primary' })
      fill(outcome, factsOf(found), told(found.warnings), found.missingUntil !== null && h('p', { class: 'banner' }, t('firstRestore.missing', { date: dateTimeText(found.missingUntil) })), confirm)
      confirm.focus()
    } catch (error) {
      if (!signal.aborted) fill(problem, errorText(error))
    }
  }

  function bringBack(source: ReturnType<typeof given>): void {
    const sent: Sent = {}
    restore.sent = sent
    client.auth.restoreSite(source).then(
      (restored) => void (sent.restored = restored),
      (error: unknown) => void (sent.error = error),
    )
    void follow(sent)
  }

  /** Shows how far it is until the service runs on the site. A response may be lost on the way; then the service is asked. */
  async function follow(sent: Sent): Promise<void> {
    form.hidden = true
    const bar = h('progress', { max: 100, value: 0, 'aria-label': t('restore.running') })
    fill(outcome, bar, h('p', {}, t('restore.running')))
    while (!signal.aborted) {
      await pause(LOOK_MS)
      if (sent.error !== undefined && !(sent.error instanceof NetworkError)) return giveUp(errorText(sent.error))
      try {
        const { state, percent, reason } = await client.auth.siteProgress({ token }, { signal })
        if (state === 'failed') return giveUp(reason ?? '')
        bar.value = percent
      } catch (error) {
        // Another run of the service, which does not know the token; while it starts, there is no answer.
        if (!(error instanceof Unauthorized)) continue
        const setup = await client.dashboard.setup({ signal }).catch(() => undefined)
        if (setup !== undefined) return void fill(element, ending(setup.hasAdministrator, restore.place, sent.restored))
      }
    }
  }

  function giveUp(reason: string): void {
    restore.sent = undefined
    form.hidden = false
    fill(outcome)
    fill(problem, reason)
  }
}

function factsOf({ snapshotAt, changesUntil, bytes, documents }: FoundSite): HTMLElement {
  return facts(
    [t('offsite.snapshot'), dateTime(snapshotAt)],
    changesUntil !== null && [t('offsite.changes'), dateTime(changesUntil)],
    [t('backups.size'), byteSize(bytes)],
    [t('restore.holds'), contentText(documents)],
  )
}

/** The service's own words. */
const told = (warnings: readonly string[]): Child => warnings.map((one) => h('p', { class: 'banner', lang: 'en', dir: 'auto' }, one))

function ending(isThere: boolean, place: string, restored: FirstRestored | undefined): Child {
  if (!isThere) return h('p', { role: 'alert' }, t('firstRestore.undone'))
  return [
    h('p', { role: 'status' }, restored === undefined ? t('restore.restored', { name: place }) : t('firstRestore.done', { date: dateTimeText(restored.until) })),
    restored !== undefined && told(restored.warnings),
    restored !== undefined && restored.flags.length > 0 && [h('p', {}, t('firstRestore.flags')), h('p', {}, code(restored.flags.join(' ')))],
    button(t('signIn.title'), () => location.reload(), { class: 'primary' }),
  ]
}
