// A project's fraud rules as operators make them, under `/operator/projects/:login/rules`.
import Type from 'typebox';
import { refuserOf, unfit } from '../../base/index.ts';
import {
  type Changes,
  Choice,
  Flag,
  Instant,
  listOf,
  type OperatorAsks,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
  Text,
} from '../../http/index.ts';
import type { Transaction } from '../../store/index.ts';
import {
  ownerNamed,
  type Project,
  ProjectLogin,
  ProjectPath,
  type Projects,
  projectRefusal,
} from '../projects/index.ts';
import type { RiskRule } from './queries.ts';
import type { Risk } from './risk.ts';
import { CLASSES } from './ruleset.ts';

const refuse = refuserOf({ rule_unknown: ['not_found', 'The project has no such rule'] });
const OfRule = Shape({ login: ProjectLogin, id: Text({ min: 1, max: 64 }) });

const rule = Shape(
  {
    id: Type.String(),
    version: Type.Integer({ minimum: 1, description: 'One more after each change.' }),
    name: Type.String(),
    class: Choice(CLASSES),
    expression: Type.String(),
    action: Choice(['refuse', 'force3d']),
    dry_run: Type.Boolean(),
    active: Type.Boolean(),
    position: Type.Integer(),
    created_at: Instant(),
  },
  { title: 'FraudRule' },
);

const ruleJson = ({ project_id: _project, ...rule }: RiskRule): object => rule;

/** What an operator's requests about fraud rules are served with. */
export interface RulesDesk {
  readonly projects: Pick<Projects, 'byLogin'>;
  readonly risk: Risk;
  readonly changes: Changes;
}

export function ruleOperatorEndpoints({ projects, risk, changes }: RulesDesk): OperatorEndpoint[] {
  const projectOf = async (login: string): Promise<Project> => {
    const project = await projects.byLogin(login);
    if (!project) throw projectRefusal('project_unknown');
    return project;
  };

  type AskedOfRule = OperatorAsks & { readonly params: { readonly login: string; readonly id: string } };
  /** A change of a project's rules; once it resolves they are in force here, or within seconds where they could not be read. */
  function changeRules<Value>(
    asked: AskedOfRule,
    action: string,
    work: (db: Transaction, project: Project) => Promise<Value>,
  ): Promise<Value> {
    const { login, id } = asked.params;
    return changes.inTransaction(
      asked,
      { owner: ownerNamed(projects, login), action, target: `${login}/${id}` },
      async (db) => work(db, await projectOf(login)),
      async () => {
        const project = await projects.byLogin(login);
        if (project) await risk.reread(project);
      },
    );
  }

  return [
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/rules',
      operation: 'ruleList',
      summary: "Lists a project's fraud rules",
      right: null,
      params: ProjectPath,
      answers: {
        200: { description: 'Rules', schema: listOf('rules', rule) },
        404: { description: 'No such project' },
      },
      handler: async ({ params }) => ({
        status: 200,
        body: { rules: (await risk.list(await projectOf(params.login))).map(ruleJson) },
      }),
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/projects/:login/rules/:id',
      operation: 'rulePut',
      summary: 'Makes a fraud rule or replaces it whole',
      right: null,
      params: OfRule,
      body: Shape({
        class: Choice(CLASSES, { description: 'What the merchant is told.' }),
        expression: Text({ min: 1, max: 2000, description: 'A condition in CEL over the payment and its counters.' }),
        action: Choice(['refuse', 'force3d']),
        dry_run: Optional(Flag({ description: 'Record what it would do, and do nothing.' })),
        active: Optional(Flag()),
        name: Optional(Text({ min: 1, max: 100, description: 'For people; the id when left out.' })),
        position: Optional(
          Type.Integer({
            minimum: -1_000_000,
            maximum: 1_000_000,
            description: 'Rules are asked in this order, then by id.',
          }),
        ),
      }),
      answers: {
        200: { description: 'The rule', schema: rule },
        404: { description: 'No such project' },
        422: { description: 'Wrong fields' },
      },
      async handler(input) {
        const { id } = input.params;
        const rule = { id, dry_run: false, active: true, ...input.body };
        const put = await changeRules(input, 'rule.put', async (db, project) => {
          const result = await risk.put(db, { ...rule, project_id: project.id });
          if ('rule' in result) return result.rule;
          throw unfit(
            result.problems.map(({ field, problem }) => ({
              path: [field],
              message: 'Not allowed',
              details: [problem],
            })),
          );
        });
        return { status: 200, body: ruleJson(put) };
      },
    }),
    operatorEndpoint({
      method: 'DELETE',
      path: '/projects/:login/rules/:id',
      operation: 'ruleRemove',
      summary: 'Removes a fraud rule',
      right: null,
      params: OfRule,
      answers: { 204: { description: 'Removed' }, 404: { description: 'No such project or rule' } },
      async handler(input) {
        await changeRules(input, 'rule.remove', async (db, project) => {
          if (!(await risk.remove(db, project, input.params.id))) throw refuse('rule_unknown');
        });
        return { status: 204, body: null };
      },
    }),
  ];
}
