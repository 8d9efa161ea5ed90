// Errors of sessions, codes, users and factors.

import { logout, sendCode, sessionOf, verifyCode } from '../access/index.ts';
import type { FailureCode } from '../fields/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { SANDBOX_PASSWORD } from '../tenants/index.ts';
import { requestCard } from './fields.ts';
import { type Caller, type Request, refusal, refused, type Scenario, scenario } from './scenario.ts';
import { before, LOCKED, SECRET, type Stage, USER_OF_CODES } from './stage.ts';

const MINUTE_MS = 60_000;
/** A code that is on its way for so long: who reads the list has as much time for this request as for the others. */
const AHEAD_MS = 5 * MINUTE_MS;
const CONSUMER = 'consumer@sandbox.test';
const SMALL = 'small@sandbox.test';
const good = requestCard({});

const withToken = (token: string): Caller => ({ secret: SECRET, token });
const NOBODY: Caller = { secret: SECRET, token: null };

const verify: Request = ['POST', '/auth/stepup/verify-otp', { verificationCode: '999999' }];
const send = (body: object): Request => ['POST', '/auth/stepup/send-otp', body];
const login = (email: string, password: string): Request => [
  'POST',
  '/auth/login',
  { email, password: { value: password } },
];

async function sessions(deps: IssuingDeps, stage: Stage, { token }: Caller): Promise<Scenario[]> {
  const { tenant } = await stage.session(CONSUMER);
  const aged = async (ageMs: number): Promise<Caller> => withToken(await stage.oldToken(CONSUMER, ageMs));
  const ended = await stage.token(CONSUMER);
  await logout(deps, await sessionOf(deps, tenant, ended, 'allowed'));
  await stage.lock();
  const unauthorized = refusal('UNAUTHORIZED');
  return [
    scenario('secret.missing', 'x-secret is wrong', { secret: 'wrong', token }, good, unauthorized),
    scenario('token.missing', 'Authorization-key is missing', NOBODY, good, unauthorized),
    scenario(
      'token.foreign',
      "The token is another tenant's",
      { secret: 'sandbox-two-secret', token },
      good,
      unauthorized,
    ),
    refused('STEP_UP_REQUIRED', 'token', await aged(6 * MINUTE_MS), good),
    refused('ACCESS_TOKEN_REQUIRED', 'token', await aged(25 * 60 * MINUTE_MS), good),
    scenario('token.loggedOut', 'The session was logged out', withToken(ended), good, refusal('ACCESS_TOKEN_REQUIRED')),
    refused('UNAUTHORIZED', 'login', NOBODY, login('nobody@sandbox.test', 'x')),
    refused('USER_DEACTIVATED', 'login', NOBODY, login('inactive@sandbox.test', SANDBOX_PASSWORD)),
    refused('LOGIN_LOCKED', 'login', NOBODY, login(LOCKED, SANDBOX_PASSWORD)),
  ];
}

async function codes(deps: IssuingDeps, stage: Stage, consumer: Caller): Promise<Scenario[]> {
  /** A session to which codes were sent so long ago, one after another, and which then tried so many wrong ones. */
  const sent = async (agesMs: readonly number[], wrong = 0): Promise<Caller> => {
    const token = await stage.token(USER_OF_CODES);
    const session = await sessionOf(deps, (await stage.session(USER_OF_CODES)).tenant, token, 'allowed');
    for (const ageMs of agesMs) await sendCode(before(deps, ageMs), session, 'SMS');
    for (let i = 0; i < wrong; i++) await verifyCode(deps, session, '999999');
    return withToken(token);
  };
  const noMobile = withToken(await stage.token('no-mobile@sandbox.test'));
  const tooMany = await sent([5, 4, 3, 2, 1].map((minutes) => minutes * MINUTE_MS));
  return [
    refused('CHANNEL_NOT_SUPPORTED', 'stepup', consumer, send({ channel: 'FAX' })),
    refused('CHANNEL_NOT_REGISTERED', 'stepup', noMobile, send({})),
    refused('RETRY_IN_15SEC', 'stepup', await sent([-AHEAD_MS]), send({})),
    refused('CHALLENGE_LIMIT_EXCEEDED', 'stepup', tooMany, send({})),
    refused('STATE_INVALID', 'stepup.verify', consumer, verify),
    refused('VERIFICATION_CODE_INVALID', 'stepup.verify', await sent([0]), verify),
    refused('VERIFICATION_CODE_EXPIRED', 'stepup.verify', await sent([6 * MINUTE_MS]), verify),
    refused('CHALLENGE_LIMIT_EXCEEDED', 'stepup.verify', await sent([0], 3), verify),
    refused('ALREADY_VERIFIED', 'stepup.verify', withToken(await stage.steppedUp(USER_OF_CODES)), verify),
  ];
}

const person = { name: 'Grace', surname: 'Example', email: 'grace.scenario@sandbox.test' };
const OTHERS_MOBILE = '+35699003160';

/** Users and factors: who asks, stepped up; what is asked. */
const USERS: readonly (readonly [code: FailureCode, name: string, email: string, request: Request])[] = [
  ['EMAIL_NOT_UNIQUE', 'users.create', CONSUMER, ['POST', '/users', { ...person, email: CONSUMER }]],
  [
    'MOBILE_NUMBER_ALREADY_EXISTS',
    'users.create',
    SMALL,
    ['POST', '/users', { ...person, mobileNumber: OTHERS_MOBILE }],
  ],
  ['EMAIL_NOT_UNIQUE', 'users.change', CONSUMER, ['PATCH', '/users/3001', { email: CONSUMER }]],
  ['MOBILE_NUMBER_ALREADY_EXISTS', 'users.change', SMALL, ['PATCH', '/users/3021', { mobileNumber: OTHERS_MOBILE }]],
  ['ROOT_USER_ALWAYS_ACTIVE', 'users.activate', CONSUMER, ['POST', '/users/activate/3100']],
  ['ROOT_USER_ALWAYS_ACTIVE', 'users.deactivate', CONSUMER, ['POST', '/users/deactivate/3100']],
  ['ROOT_USER_REQUIRED', 'users.create', 'linked@sandbox.test', ['POST', '/users', person]],
  ['BIOMETRIC_AUTHENTICATION_NOT_SUPPORTED', 'factors', SMALL, ['PUT', '/factors/BIOMETRICS']],
  ['EXTERNAL_AUTHY_AUTHENTICATION_NOT_SUPPORTED', 'factors', SMALL, ['PUT', '/factors/EXTERNAL_AUTHY']],
];

async function people(stage: Stage, consumer: Caller): Promise<Scenario[]> {
  const found: Scenario[] = [];
  const tokens = new Map<string, string>();
  for (const [code, name, email, request] of USERS) {
    const token = tokens.get(email) ?? (await stage.steppedUp(email));
    tokens.set(email, token);
    found.push(refused(code, name, withToken(token), request));
  }
  const password = (old: string, next: string): Request => [
    'POST',
    '/users/password',
    { oldPassword: { value: old }, newPassword: { value: next } },
  ];
  const another = password('wrong', 'a better one than before');
  const same = password(SANDBOX_PASSWORD, SANDBOX_PASSWORD);
  const ofCodes = withToken(await stage.token(USER_OF_CODES));
  return [
    ...found,
    refused('STEP_UP_REQUIRED', 'users.create', consumer, ['POST', '/users', person]),
    refused('PASSWORD_INVALID', 'users.password', ofCodes, another),
    refused('PASSWORD_ALREADY_USED', 'users.password', ofCodes, same),
    refused('LOGIN_LOCKED', 'users.password', withToken(await stage.token(LOCKED)), another),
  ];
}

export const peopleScenarios = async (deps: IssuingDeps, stage: Stage, consumer: Caller): Promise<Scenario[]> => [
  ...(await sessions(deps, stage, consumer)),
  ...(await codes(deps, stage, consumer)),
  ...(await people(stage, consumer)),
];
