/** The six account endpoints by name, for tests of their responses. */
import type { ApiResponse, Call, TestService } from './service.ts'

type Options = Omit<Call, 'body'>

export interface AuthCalls {
  requestCode(body: unknown, options?: Options): Promise<ApiResponse>
  verify(body: unknown, options?: Options): Promise<ApiResponse>
  anonymous(options?: Call): Promise<ApiResponse>
  me(token?: string, options?: Options): Promise<ApiResponse>
  signOut(token?: string, options?: Options): Promise<ApiResponse>
  deleteAccount(token?: string, options?: Options): Promise<ApiResponse>
}

export function authCalls({ call }: Pick<TestService, 'call'>): AuthCalls {
  const auth = '/api/v1/auth'
  return {
    requestCode: (body, options) => call('POST', `${auth}/request-code`, { ...options, body }),
    verify: (body, options) => call('POST', `${auth}/verify-code`, { ...options, body }),
    anonymous: (options = { body: {} }) => call('POST', `${auth}/anonymous`, options),
    me: (token, options) => call('GET', `${auth}/me`, { ...options, token }),
    signOut: (token, options) => call('POST', `${auth}/sign-out`, { ...options, token }),
    deleteAccount: (token, options) => call('DELETE', `${auth}/delete-account`, { ...options, token }),
  }
}

/** Another code of six digits than the given one; a different one for each step from 1 to 999999. */
export function otherCode(code: string, step = 1): string {
  return String((Number(code) + step) % 1_000_000).padStart(6, '0')
}
