/**
 * A walk through the service with a client, as a program of its own that any runtime of JavaScript can run:
 *
 *     RUNTIME client-walk.ts MODULE URL TOKEN
 *
 * MODULE is the client's file and TOKEN an administrator's. It prints one JSON object of what it found.
 */
type ClientModule = typeof import('../../../src/client/client.ts')

const [, , module = '', url = '', token = ''] = process.argv

/** The class and code of the error that a call ends with. */
async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'none'
  } catch (error) {
    const { name, code, status } = error as { readonly name: string; readonly code: unknown; readonly status: unknown }
    return [name, code, status].join(' ')
  }
}

async function walk({ createClient, NotFound, DatelineError }: ClientModule): Promise<Readonly<Record<string, unknown>>> {
  const guest = createClient({ url })
  const { user } = await guest.auth.anonymous()
  const own = await guest.data('user_app_settings').get(user.id)
  const refused = await errorOf(guest.data('topic').create({ name: 'No', description: '', iconUrl: '' }))
  const wrongCode = await errorOf(guest.auth.verifyCode({ email: 'unknown@example.org', code: '000000' }))
  const meBefore = await guest.auth.me()
  await guest.auth.signOut()
  const signedOut = await errorOf(guest.auth.me())

  const admin = createClient({ url, token })
  const topics = admin.data('topic')
  for (let i = 0; i < 7; i++) await topics.create({ name: `Walk ${i}`, description: '', iconUrl: '' })
  const names: string[] = []
  for await (const { name } of topics.iterate({ filter: { q: 'walk' }, sort: 'name:asc', pageSize: 3 })) names.push(name)
  const longNames = await topics.list({ filter: { name: { $in: [...names, 'x'.repeat(5_000)] } }, limit: 100 })

  const { document } = await topics.create({ name: 'Before', description: 'kept', iconUrl: '' })
  const replaced = await topics.replace(document.id, { ...document, name: 'After' })
  await topics.remove(document.id)
  const gone = await topics.get(document.id).catch((error: unknown) => error)

  return {
    guest: [meBefore.id === user.id, own.document.id === user.id, guest.token === undefined],
    errors: { refused, wrongCode, signedOut, badFilter: await errorOf(topics.list({ sort: ':' })) },
    names,
    longNames: longNames.items.length,
    replaced: [replaced.document.name, replaced.document.description],
    gone: gone instanceof NotFound && gone instanceof DatelineError && gone.requestId !== undefined,
    aborted: await errorOf(topics.list({}, { signal: AbortSignal.abort() })),
    unreachable: await errorOf(createClient({ url: 'http://127.0.0.1:1' }).auth.me()),
  }
}

console.log(JSON.stringify(await walk((await import(module)) as ClientModule)))
